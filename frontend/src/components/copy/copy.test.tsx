import { Menu } from "@mantine/core";
import { fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { CopyItem } from "@/components/copy/CopyItem";
import { CopyText } from "@/components/copy/CopyText";
import { renderPart } from "@/test/render";

const writeText = vi.fn<(text: string) => Promise<void>>();

function setClipboard(clipboard: object | undefined): void {
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: clipboard });
}

/** Replaces the command that jsdom lacks; returns the texts that were selected when it ran. */
function keepCopied(isAllowed: boolean): string[] {
  const copied: string[] = [];
  document.execCommand = () => {
    const field = document.activeElement as HTMLTextAreaElement;
    copied.push(field.value.slice(field.selectionStart, field.selectionEnd));
    return isAllowed;
  };
  return copied;
}

function CopyMenu() {
  return (
    <Menu opened>
      <Menu.Target>
        <button type="button">Menu</button>
      </Menu.Target>
      <Menu.Dropdown>
        <CopyItem label="Copy the name" text={() => "us->eu"} />
      </Menu.Dropdown>
    </Menu>
  );
}

afterEach(() => {
  setClipboard(undefined);
  Reflect.deleteProperty(document, "execCommand");
});

test("a text is copied to the clipboard of the browser", async () => {
  setClipboard({ writeText: writeText.mockResolvedValue() });
  renderPart(<CopyText label="Command" text="srm-control flows list" />);
  fireEvent.click(screen.getByRole("button", { name: "Copy" }));
  expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
  expect(writeText).toHaveBeenCalledWith("srm-control flows list");
});

test("over plain HTTP a text is copied through a field, and the focus stays", async () => {
  setClipboard(undefined);
  const copied = keepCopied(true);
  renderPart(<CopyText label="Command" text="srm-control flows list" />);
  const button = screen.getByRole("button", { name: "Copy" });
  button.focus();
  fireEvent.click(button);
  expect(await screen.findByRole("button", { name: "Copied" })).toBe(document.activeElement);
  expect(copied).toEqual(["srm-control flows list"]);
  expect(document.querySelector("textarea")).toBeNull();
});

test("an item of a menu says that it has copied", async () => {
  setClipboard(undefined);
  const copied = keepCopied(true);
  renderPart(<CopyMenu />);
  fireEvent.click(await screen.findByRole("menuitem", { name: "Copy the name" }));
  expect(await screen.findByRole("menuitem", { name: "Copied" })).toBeTruthy();
  expect(copied).toEqual(["us->eu"]);
});

test("a copy that the browser refuses says so", async () => {
  setClipboard({ writeText: writeText.mockRejectedValue(new DOMException("denied", "NotAllowedError")) });
  renderPart(<CopyMenu />);
  fireEvent.click(await screen.findByRole("menuitem", { name: "Copy the name" }));
  expect(await screen.findByRole("menuitem", { name: "The browser refused to copy" })).toBeTruthy();
});
