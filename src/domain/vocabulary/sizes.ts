/** Formats sizes in powers of 1024, as the limits in the settings are: "512 bytes", "1.5 MiB", "16 GiB". */
export const SIZE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Rounds down, so that a size just below a limit never looks like the limit. `locales`: empty for the viewer's. */
export function sizeText(bytes: number, locales: string | string[] = 'en-US'): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < SIZE_UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  const shown = (Math.floor(value * 10) / 10).toLocaleString(locales, { maximumFractionDigits: 1 });
  return `${shown} ${value === 1 && unit === 0 ? 'byte' : SIZE_UNITS[unit]}`;
}
