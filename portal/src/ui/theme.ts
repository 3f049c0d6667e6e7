/** Theme: colours, fonts and component defaults. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, TableScrollContainer } from '@mantine/core';

const PINE: MantineColorsTuple = [
  '#e9f7f2',
  '#d5ebe3',
  '#a8d6c6',
  '#78c0a8',
  '#51ae8f',
  '#38a37f',
  '#279373',
  '#1f7f64',
  '#17705a',
  '#08604c',
];

export const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: 8,
  colors: { pine: PINE },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  autoContrast: true,
  cursorType: 'pointer',
  components: {
    // Tables are wider than a phone's screen; focusable ones can be scrolled with the keyboard.
    TableScrollContainer: TableScrollContainer.extend({
      defaultProps: { scrollAreaProps: { viewportProps: { tabIndex: 0, role: 'group', 'aria-label': 'Table' } } },
    }),
  },
});

/** Darker shades for dimmed and coloured text: Mantine's defaults miss the WCAG AA contrast ratio. */
export const readableColours: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7] ?? '',
    '--mantine-color-placeholder': colors.gray[7] ?? '',
    '--mantine-color-green-light-color': '#1b5e2a',
    '--mantine-color-orange-light-color': '#8a3500',
    '--mantine-color-red-light-color': '#9b1c1c',
    '--mantine-color-blue-light-color': '#1a4f8b',
    '--mantine-color-gray-light-color': colors.gray[8] ?? '',
    '--mantine-color-error': '#c02626',
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1] ?? '',
    '--mantine-color-placeholder': colors.dark[1] ?? '',
    '--mantine-color-error': colors.red[4] ?? '',
  },
});
