/** Writes a value of an offer as text, for tables of changes. */
import { countText, isAmount, priceText } from '../numbers.ts';
import { fieldLabel } from './page-words.ts';

const CHARACTERS = 120;

/** Returns the value of the field in words, cut if it is long. */
export function shortText(name: string, value: unknown): string {
  const text = valueText(name, value);
  return text.length > CHARACTERS ? `${text.slice(0, CHARACTERS)}…` : text;
}

/** Members of an object are named by their labels. */
function valueText(name: string, value: unknown): string {
  if (Array.isArray(value) && value.length > 0) return value.map((entry) => valueText(name, entry)).join('; ');
  if (value === null || value === undefined || value === '' || Array.isArray(value)) return 'Not set';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number' && isAmount(name)) return priceText(value);
  if (typeof value === 'number' && name === 'quantity') return countText(value);
  if (typeof value !== 'object') return String(value);
  const {
    attribute_value,
    attribute_value_unit = '',
    standard_product_code,
  } = value as Readonly<Record<string, string>>;
  if (standard_product_code !== undefined) return standard_product_code;
  if (attribute_value !== undefined) return `${attribute_value} ${attribute_value_unit}`.trim();
  return Object.entries(value)
    .map(([part, of]) => `${fieldLabel(part)}: ${valueText(part, of)}`)
    .join(', ');
}
