import { Button } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useState } from "react";

/** A command or a file with a button that copies it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <div className="copy-text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <Button size="xs" variant="default" leftSection={<Icon size={14} aria-hidden />} onClick={copy}>
        {isCopied ? "Copied" : "Copy"}
      </Button>
    </div>
  );
}
