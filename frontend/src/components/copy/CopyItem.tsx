import { Menu } from "@mantine/core";
import { CopyIcon } from "@/components/copy/CopyIcon";
import { useCopy } from "@/components/copy/useCopy";

interface CopyItemProps {
  label: string;
  /** reads the text when it is copied */
  text: () => string;
}

/** An item of a menu that copies a text. The menu stays open and shows the result. */
export function CopyItem({ label, text }: CopyItemProps) {
  const { result, said = label, copy } = useCopy();
  return (
    <Menu.Item
      leftSection={<CopyIcon result={result} size={16} />}
      closeMenuOnClick={false}
      onClick={() => copy(text())}
    >
      <span aria-live="polite">{said}</span>
    </Menu.Item>
  );
}
