/** In charge of JSON whose ids may be beyond 2^53: such a number is a bigint here, and goes out as it came in. */
interface ExactJson {
  parse(text: string, reviver: (name: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  stringify(value: unknown, replacer: (name: string, value: unknown) => unknown, indent?: number): string;
  rawJSON(text: string): unknown;
}

/** What browsers have for it is newer than TypeScript's own description. */
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

/** On several lines, for people. */
export function readableExact(value: unknown): string {
  return exact.stringify(value, exactPart, 2);
}

/** Ids that are not that large go out from browsers too that cannot write the others. */
function exactPart(_name: string, part: unknown): unknown {
  if (typeof part !== 'bigint') return part;
  return Number.isSafeInteger(Number(part)) ? Number(part) : exact.rawJSON(String(part));
}
