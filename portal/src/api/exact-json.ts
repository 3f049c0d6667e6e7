/** Reads and writes JSON with integers beyond 2^53 as bigint, so that large ids keep all digits. */
interface ExactJson {
  parse(text: string, reviver: (name: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  stringify(value: unknown, replacer: (name: string, value: unknown) => unknown, indent?: number): string;
  rawJSON(text: string): unknown;
}

/** TypeScript has no types for `context.source` and `rawJSON` yet. */
const exact = JSON as unknown as ExactJson;

export function parseExact(text: string): unknown {
  return exact.parse(text, (_name, value, context) => {
    const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isLarge && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context?.source ?? '') : value;
  });
}

export function stringifyExact(value: unknown): string {
  return exact.stringify(value, exactPart);
}

/** Formats a value with indentation, for display. */
export function readableExact(value: unknown): string {
  return exact.stringify(value, exactPart, 2);
}

/** Safe integers are written as numbers, so browsers without `rawJSON` can still send them. */
function exactPart(_name: string, part: unknown): unknown {
  if (typeof part !== 'bigint') return part;
  return Number.isSafeInteger(Number(part)) ? Number(part) : exact.rawJSON(String(part));
}
