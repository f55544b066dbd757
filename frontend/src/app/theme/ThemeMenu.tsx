import {
  ActionIcon,
  type MantineColorScheme,
  Menu,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { IconDeviceDesktop, IconMoon, type IconProps, IconSun } from "@tabler/icons-react";
import type { ComponentType } from "react";

export const THEMES: readonly { value: MantineColorScheme; label: string; icon: ComponentType<IconProps> }[] =
  [
    { value: "light", label: "Light", icon: IconSun },
    { value: "dark", label: "Dark", icon: IconMoon },
    { value: "auto", label: "System", icon: IconDeviceDesktop },
  ];

export function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Shown = useComputedColorScheme("light") === "dark" ? IconMoon : IconSun;
  return (
    <Menu
      position="top-end"
      width={180}
      shadow="none"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label="Colour theme">
          <Shown size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(value as MantineColorScheme)}
        >
          {THEMES.map(({ value, label, icon: Icon }) => (
            <Menu.RadioItem
              key={value}
              value={value}
              rightSection={<Icon size={16} stroke={1.7} aria-hidden />}
            >
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
