import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

const blue: MantineColorsTuple = [
  "#eaf0ff",
  "#d3dfff",
  "#a9c1ff",
  "#86a8ff",
  "#5f86f5",
  "#3f66ea",
  "#2952cc",
  "#2347b0",
  "#1c3a91",
  "#1a2747",
];

/** Mantine's dark greys clash with our blue-tinted surfaces; this tuple follows tokens.css. */
const dark: MantineColorsTuple = [
  "#e8edf5",
  "#b3bfcf",
  "#8b99ad",
  "#5d6c84",
  "#232e3f",
  "#1d2635",
  "#161e2b",
  "#121823",
  "#0b0f16",
  "#070a10",
];

export const theme = createTheme({
  colors: { blue, dark },
  primaryColor: "blue",
  primaryShade: { light: 6, dark: 5 },
  fontFamily: '"Inter Variable", system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "JetBrains Mono", "DejaVu Sans Mono", monospace',
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  lineHeights: { xs: "1.45", sm: "1.45", md: "1.45", lg: "1.45", xl: "1.45" },
  radius: { xs: "4px", sm: "6px", md: "8px", lg: "12px", xl: "16px" },
  defaultRadius: "md",
  spacing: { xs: "4px", sm: "8px", md: "12px", lg: "16px", xl: "24px" },
  cursorType: "pointer",
  respectReducedMotion: true,
  focusRing: "auto",
  components: {
    // Inside the page's landmarks, so that screen readers announce lists in their context.
    Select: {
      defaultProps: { comboboxProps: { withinPortal: false, shadow: "none" }, withAlignedLabels: true },
    },
    // Inputs of a row are at one height, whether they have a description or not.
    InputWrapper: { defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] } },
    Button: { defaultProps: { loaderProps: { size: 12 } } },
    Menu: { defaultProps: { portalProps: { target: "#page" }, withInitialFocusPlaceholder: false } },
    Tooltip: { defaultProps: { withinPortal: false } },
  },
});

const fromTokens = {
  "--mantine-color-body": "var(--bg)",
  "--mantine-color-text": "var(--text)",
  "--mantine-color-bright": "var(--text)",
  "--mantine-color-dimmed": "var(--text-3)",
  "--mantine-color-placeholder": "var(--text-3)",
  "--mantine-color-anchor": "var(--accent)",
  "--mantine-color-error": "var(--bad-text)",
  "--mantine-color-default": "var(--surface)",
  "--mantine-color-default-hover": "var(--surface-2)",
  "--mantine-color-default-color": "var(--text)",
  "--mantine-color-default-border": "var(--control-border)",
  "--mantine-primary-color-filled": "var(--primary)",
  "--mantine-primary-color-filled-hover": "var(--primary-hover)",
};

/** Mantine's own pair of the dark theme cannot be read. */
const DISABLED_IN_DARK = {
  "--mantine-color-disabled": "var(--surface-3)",
  "--mantine-color-disabled-color": "var(--text-3)",
};

/** Derives Mantine's variables from the tokens. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: fromTokens,
  dark: { ...fromTokens, ...DISABLED_IN_DARK },
});
