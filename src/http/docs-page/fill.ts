/** Replaces the defaults in the built documentation, `⟦key|default⟧`, with this server's own values. */
import { type Names, NEUTRAL_NAMES, RENAMED_FIELDS } from '../../domain/names.ts';
import { exampleImages } from '../openapi/examples.ts';

const MARK = /⟦([^|⟧]+)\|([^⟧]*)⟧/g;

/**
 * Returns the values by the keys that the site build writes (site/src/fill-marks.mjs). `settings` has the names of the settings as keys.
 */
export function docsValues(
  names: Names,
  publicUrl: string,
  settings: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const { carriers, reviewStatus } = names.settings;
  return new Map([
    ...settings,
    ['base', publicUrl],
    ['images', exampleImages(publicUrl)],
    ['brand', brandOf(names)],
    ['review_status', reviewStatus],
    ...RENAMED_FIELDS.map((field) => [field, names.field(field)] as const),
    ...carriers.map((carrier, at) => [`carrier_${at + 1}`, carrier] as const),
  ]);
}

/** Returns the marketplace's own name, or `Offerbook` if none is set. */
export function brandOf({ settings }: Names): string {
  return settings.marketplace === NEUTRAL_NAMES.marketplace ? 'Offerbook' : settings.marketplace;
}

export function fillHtml(text: string, values: ReadonlyMap<string, string>): string {
  return filled(text, values, escapedHtml);
}

export function fillJson(text: string, values: ReadonlyMap<string, string>): string {
  return filled(text, values, (value) => JSON.stringify(value).slice(1, -1));
}

export function fillText(text: string, values: ReadonlyMap<string, string>): string {
  return filled(text, values, (value) => value);
}

function filled(text: string, values: ReadonlyMap<string, string>, write: (value: string) => string): string {
  return text.replaceAll(MARK, (_mark, key: string, fallback: string) => {
    const value = values.get(key);
    return value === undefined ? fallback : write(value);
  });
}

export function escapedHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
