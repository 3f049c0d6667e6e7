/** Compares the values in a form with those that are saved now, field by field. */

export interface Difference {
  /** Name of the field. */
  readonly name: string;
  /** The list entry, such as a location; '' if the field is in no list. */
  readonly entry: string;
  /** '' if it is not set. */
  readonly mine: string;
  readonly saved: string;
}

/** Fields by which entries of a list are told apart. A list without one of them is compared as a whole. */
const ENTRY_IDS = ['id', 'attribute_id', 'slot'];

type Fields = Readonly<Record<string, unknown>>;

export function differencesOf(mine: object, saved: object): readonly Difference[] {
  const [one, other] = [textsOf(mine as Fields), textsOf(saved as Fields)];
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((key) => {
    const [here = '', there = ''] = [one.get(key), other.get(key)];
    const [name = '', entry = ''] = key.split('\n');
    return here === there ? [] : { name, entry, mine: here, saved: there };
  });
}

/** By the name of the field and, on a second line, its entry. */
function textsOf(values: Fields): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(values)) {
    const idName = idOf(value);
    if (idName !== undefined) {
      for (const { [idName]: id, ...rest } of value as Fields[]) {
        const [only, ...others] = Object.keys(rest);
        // A single value belongs to its own name: the price of a location, not its location.
        const label = only !== undefined && others.length === 0 ? only : name;
        texts.set(`${label}\n${String(id)}`, textOf(rest));
      }
    } else if (isFields(value)) {
      for (const [key, text] of textsOf(value)) texts.set(key, text);
    } else {
      texts.set(name, textOf(value));
    }
  }
  return texts;
}

function idOf(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every(isFields)) return undefined;
  return ENTRY_IDS.find((name) => value.length > 0 && value.every((entry) => name in entry));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter(Boolean)
      .join(value.some(isFields) ? ', ' : ' · ');
  if (isFields(value)) return Object.values(value).map(textOf).filter(Boolean).join(' ');
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return value === null || value === undefined ? '' : String(value);
}
