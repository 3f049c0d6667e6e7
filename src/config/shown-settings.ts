/** Formats the settings that the documentation shows: limits, durations and the currency, by the name of the setting. */
import { SIZE_UNITS } from '../domain/vocabulary/sizes.ts';
import { SETTINGS, type Settings } from './settings.ts';

/** Returns only numbers and the currency, because other settings may contain addresses, paths and passwords of the operator. */
export function shownSettings(settings: Settings): ReadonlyMap<string, string> {
  const shown = new Map<string, string>([[SETTINGS.currency.name, settings.currency]]);
  for (const [key, { name }] of Object.entries(SETTINGS)) {
    const value = settings[key as keyof Settings];
    if (typeof value === 'number')
      shown.set(name, name.includes('_BYTES_') ? size(value) : value.toLocaleString('en-US'));
  }
  return shown;
}

/** Uses the largest unit that gives a whole number, so that no digit is lost. */
function size(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value > 0 && value % 1024 === 0 && unit < SIZE_UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value.toLocaleString('en-US')} ${SIZE_UNITS[unit]}`;
}
