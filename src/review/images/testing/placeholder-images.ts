/**
 * Generates "no image" placeholders: the layouts whose hashes are built in, and others that no list knows. Coordinates refer to
 * 600 by 600; the layouts were drawn for this project.
 */
import { strokeText } from './stroke-text.ts';

export interface PlaceholderColors {
  readonly ground: string;
  readonly ink: string;
}

/** Colors in which the listed hashes are computed. */
export const LISTED_COLORS: PlaceholderColors = { ground: '#f2f2f2', ink: '#9a9a9a' };

export type PlaceholderLayout = (colors: PlaceholderColors) => string;

/** Layouts whose hashes are in builtin-placeholders.ts, under these names. */
export const LISTED_LAYOUTS: Readonly<Record<string, PlaceholderLayout>> = {
  'no-image-available-two-lines': ({ ink }) => line('NO IMAGE', 262, 56, ink) + line('AVAILABLE', 342, 56, ink),
  'no-image-available-one-line': ({ ink }) => line('NO IMAGE AVAILABLE', 300, 32, ink),
  'no-image-large': ({ ink }) => line('NO', 220, 120, ink) + line('IMAGE', 390, 120, ink),
  'image-coming-soon': ({ ink }) =>
    line('IMAGE', 200, 70, ink) + line('COMING', 300, 70, ink) + line('SOON', 400, 70, ink),
  'photo-not-available-framed': ({ ink }) =>
    `<rect x="24" y="24" width="552" height="552" fill="none" stroke="${ink}" stroke-width="10"/>` +
    line('PHOTO NOT', 262, 56, ink) +
    line('AVAILABLE', 342, 56, ink),
  'camera-crossed-out': ({ ground, ink }) =>
    `${camera(ground, ink)}<path d="M150 130L450 430" stroke="${ground}" stroke-width="40"/><path d="M150 130L450 430" stroke="${ink}" stroke-width="18"/>` +
    line('NO IMAGE', 500, 44, ink),
  'framed-landscape': ({ ink }) =>
    `<rect x="150" y="180" width="300" height="240" rx="16" fill="none" stroke="${ink}" stroke-width="18"/>` +
    `<circle cx="225" cy="250" r="28" fill="${ink}"/><path d="M170 400L260 300L320 360L370 310L430 400Z" fill="${ink}"/>`,
};

/** Layouts that are in no list. Their results show how well known images match unknown ones. */
export const UNLISTED_LAYOUTS: Readonly<Record<string, PlaceholderLayout>> = {
  'words-below-camera': ({ ground, ink }) => camera(ground, ink) + line('PHOTO COMING SOON', 500, 30, ink),
  'words-at-the-top': ({ ink }) => line('IMAGE NOT FOUND', 90, 40, ink),
  'words-in-three-lines': ({ ink }) =>
    line('THIS IMAGE', 180, 44, ink) + line('IS NOT', 300, 44, ink) + line('AVAILABLE', 420, 44, ink),
};

/** Returns an SVG of 600 by 600. */
export function placeholderSvg(layout: PlaceholderLayout, colors: PlaceholderColors): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600" width="600" height="600"><rect width="600" height="600" fill="${colors.ground}"/>${layout(colors)}</svg>`;
}

function line(text: string, y: number, letter_height: number, color: string): string {
  return strokeText(text, { x: 300, y, letter_height, color });
}

function camera(ground: string, ink: string): string {
  return (
    `<rect x="150" y="180" width="300" height="210" rx="24" fill="${ink}"/><rect x="240" y="145" width="120" height="50" rx="12" fill="${ink}"/>` +
    `<circle cx="300" cy="285" r="72" fill="${ground}"/><circle cx="300" cy="285" r="44" fill="${ink}"/>`
  );
}
