/** Theme: colors, typeface and component defaults. Pages choose components, and this file decides how they look. */
import {
  Badge,
  Button,
  Card,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Modal,
  Table,
  TableScrollContainer,
} from '@mantine/core';

/** The accent: links, the primary button, the current page. No status has this color. */
const IRIS: MantineColorsTuple = [
  '#f2f1fe',
  '#e3e1fc',
  '#c6c2f7',
  '#a7a1f1',
  '#9089ec',
  '#776fe3',
  '#6359d6',
  '#5046c2',
  '#433aa6',
  '#352e85',
];

/** Neutral grays of the dark mode, from text to the darkest surface. */
const DARK: MantineColorsTuple = [
  '#e4e7ec',
  '#b3bac6',
  '#8d95a3',
  '#6a7280',
  '#353b46',
  '#2a2f39',
  '#20242c',
  '#181b21',
  '#111318',
  '#0b0d10',
];

export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: { light: 7, dark: 6 },
  colors: { iris: IRIS, dark: DARK },
  defaultRadius: 'md',
  radius: { lg: '10px' },
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  // Text is 14 px, so that a row of a list shows more. Phones get 16 px inputs (`app/global.css`).
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '640',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.375rem', lineHeight: '1.3' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
      h4: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  autoContrast: true,
  cursorType: 'pointer',
  components: {
    Badge: Badge.extend({ defaultProps: { radius: 'sm', size: 'md', tt: 'none', fw: 550 } }),
    Button: Button.extend({ defaultProps: { fw: 550 } }),
    Card: Card.extend({ defaultProps: { radius: 'lg', shadow: 'xs', padding: 'lg' } }),
    // The header element of a dialog would count as a second page header.
    Modal: Modal.extend({
      defaultProps: { attributes: { header: { role: 'presentation' } } },
      styles: { title: { fontSize: 'var(--mantine-font-size-lg)', fontWeight: 640 } },
    }),
    Table: Table.extend({ defaultProps: { horizontalSpacing: 'md' } }),
    // Tables are wider than a phone's screen; focusable ones can be scrolled with the keyboard.
    TableScrollContainer: TableScrollContainer.extend({
      defaultProps: {
        scrollAreaProps: {
          offsetScrollbars: 'present',
          viewportProps: { tabIndex: 0, role: 'group', 'aria-label': 'Table' },
        },
      },
    }),
  },
});

/** Dark enough for white text. */
const RED_FILLED = { '--mantine-color-red-filled': '#c92a2a', '--mantine-color-red-filled-hover': '#b02525' };

/** Replaces Mantine's light variants in dark mode, which are so saturated that a warning looks like an error. */
function tint(color: string, surface: string, hover: string, text: string): Record<string, string> {
  return {
    [`--mantine-color-${color}-light`]: surface,
    [`--mantine-color-${color}-light-hover`]: hover,
    [`--mantine-color-${color}-light-color`]: text,
  };
}

/** Sets the canvas behind cards, softer borders, and text colors with the contrast of WCAG AA, which Mantine's colors lack. */
export const themeColors: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...RED_FILLED,
    '--canvas': '#f5f6f8',
    '--sidebar': '#eceef2',
    '--nav-text': '#3c4350',
    '--nav-hover': '#e2e5ea',
    '--nav-active': '#ffffff',
    '--test-strip': '#fdecc8',
    '--test-strip-text': '#6b3d00',
    '--mantine-color-text': '#1b1f28',
    '--mantine-color-default-border': '#dfe2e8',
    '--mantine-color-dimmed': '#575f6d',
    '--mantine-color-placeholder': '#646c7a',
    '--mantine-color-green-light-color': '#17602b',
    '--mantine-color-orange-light-color': '#8a3c00',
    '--mantine-color-yellow-light-color': '#6b4a00',
    '--mantine-color-red-light-color': '#9b1c1c',
    '--mantine-color-blue-light-color': '#1a4f8b',
    '--mantine-color-gray-light-color': colors.gray[8] ?? '',
    '--mantine-color-error': '#c02626',
  },
  dark: {
    ...RED_FILLED,
    '--canvas': DARK[8],
    '--sidebar': DARK[9],
    '--nav-text': DARK[1],
    '--nav-hover': DARK[7],
    '--nav-active': DARK[6],
    '--test-strip': '#3d2a08',
    '--test-strip-text': '#ffd591',
    // Disabled buttons stand out from cards.
    '--mantine-color-disabled': DARK[5],
    '--mantine-color-disabled-color': DARK[2],
    '--mantine-color-default-border': DARK[5],
    '--mantine-color-dimmed': '#a4acb9',
    '--mantine-color-placeholder': '#98a1af',
    '--mantine-color-error': colors.red[4] ?? '',
    ...tint('iris', '#322f66', '#3b3778', '#cfccf9'),
    ...tint('orange', '#3a2b1a', '#463420', '#ffc078'),
    ...tint('yellow', '#38311a', '#443b20', '#ffe066'),
    ...tint('red', '#432226', '#50282d', '#ffa8a8'),
    ...tint('green', '#1b3527', '#21402f', '#8ce99a'),
    ...tint('blue', '#1b3148', '#213b57', '#a5d8ff'),
    ...tint('gray', '#2e333d', '#383e4a', '#ced4da'),
  },
});
