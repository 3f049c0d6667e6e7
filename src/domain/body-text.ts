/** Reads the text of a body: JSON with exact integers, bounded depth and size, and no forbidden characters. */
import { parseExactJson } from './int64.ts';
import { LIMITS } from './limits.ts';
import { fieldProblem, type PathPart, type Problem, requestProblem } from './problem.ts';
import { hasForbiddenCharacter } from './text/text-rules.ts';

/** A readable body, with the problems already found in it. */
export interface SentBody {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** The JSON text of the value. Absent if it has an escape, and for long bodies, so that waiting requests hold less memory. */
  readonly text?: string | undefined;
}

/** A line and a column of a file, both from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** `positionOf` returns the position of a character in the file that the text is a part of. By default, the text is the whole file. */
export function readBodyText(
  text: string,
  values_max: number = LIMITS.body_values_max,
  positionOf: (before: string) => FilePosition = positionAfter,
): SentBody | { readonly unreadable: Problem } {
  const unbounded = shapeProblem(text, values_max);
  if (unbounded !== undefined) return { unreadable: unbounded };
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {
      unreadable: requestProblem('body_not_json', `The body is not JSON: ${syntaxText(text, error, positionOf)}.`),
    };
  }
  if (isShort(text) && !text.includes('\\')) return { value, problems: [], text };
  return { value, problems: mayHoldForbidden(text) ? forbiddenCharacters(value) : [] };
}

/** Reads a body that arrives as values, from the command line or a form, instead of JSON text. */
export function readBodyValue(value: Readonly<Record<string, unknown>>): SentBody {
  return { value, problems: forbiddenCharacters(value) };
}

/** Returns the problem of an unreadable line as part of a sentence that names the line already. */
export function unreadableLine({ message }: Problem): string {
  return message.replace('The body', 'it').replace('at line 1, column', 'at column').replace(/\.$/, '');
}

const NAME_SHOWN_CHARACTERS_MAX = 64;

/** NUL and surrogates occur only as escapes: raw NUL is not valid JSON, raw surrogates are not valid UTF-8. */
const FORBIDDEN_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** Nearly no body has one of these escapes. Searching for `\u` first takes a tenth of the time of the expression above. */
function mayHoldForbidden(text: string): boolean {
  return text.includes('\\u') && FORBIDDEN_ESCAPE.test(text);
}

function forbiddenCharacters(body: unknown): Problem[] {
  const problems: Problem[] = [];
  const rule = 'must not contain NUL characters or unpaired surrogates';
  const found = (path: readonly PathPart[], text: string): void => {
    problems.push(fieldProblem('forbidden_character', path, text));
  };
  // One more than the limit, so that the report can say that more exist.
  const isEnough = () => problems.length > LIMITS.problems_max;
  const walk = (value: unknown, path: readonly PathPart[]): void => {
    if (isEnough()) return;
    if (typeof value === 'string') {
      if (hasForbiddenCharacter(value)) found(path, rule);
    } else if (Array.isArray(value)) {
      for (let index = 0; index < value.length && !isEnough(); index++) walk(value[index], [...path, index]);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (isEnough()) return;
        // The message does not repeat the name, because the response cannot contain these characters either.
        if (hasForbiddenCharacter(key)) found(path, `has a name that ${rule}`);
        else walk(member, [...path, shortened(key)]);
      }
    }
  };
  walk(body, []);
  return problems;
}

/** Shortens names of unknown fields, which can be as long as the body, so that a hundred problems stay small. */
function shortened(name: string): string {
  return name.length <= NAME_SHOWN_CHARACTERS_MAX
    ? name
    : `${name.slice(0, NAME_SHOWN_CHARACTERS_MAX).toWellFormed()}…`;
}

/** The shortest field is `"":1,`. */
const FIELD_CHARACTERS_MIN = 5;

/** True if the text is too short for an object with too many fields. */
function isShort(text: string): boolean {
  return text.length <= FIELD_CHARACTERS_MIN * LIMITS.object_fields_max;
}

/** Returns the problem with a body that would take too long to read. Nearly all bodies are short with few brackets and skip the scan. */
function shapeProblem(text: string, values_max: number): Problem | undefined {
  const { body_depth_max, object_fields_max } = LIMITS;
  if (isShort(text) && countOpening(text, body_depth_max) <= body_depth_max) return undefined;
  const { deepest, values, fields } = shapeOf(text);
  if (deepest > body_depth_max) {
    return requestProblem('body_too_deep', `The body must be nested at most ${body_depth_max} levels deep.`);
  }
  if (values > values_max) {
    const rule = `The body must have at most ${values_max} commas and opening brackets outside strings.`;
    return requestProblem('body_too_complex', rule);
  }
  if (fields <= object_fields_max) return undefined;
  return requestProblem('body_too_complex', `Objects in the body must have at most ${object_fields_max} fields.`);
}

function countOpening(text: string, enough: number): number {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1 && count <= enough; at = text.indexOf(bracket, at + 1)) count++;
  }
  return count;
}

/**
 * Counts outside strings: levels of brackets, values that commas and brackets start, and the fields of the largest
 * object.
 */
function shapeOf(text: string): { deepest: number; values: number; fields: number } {
  const fieldsAt = new Array<number>(LIMITS.body_depth_max + 1).fill(0);
  let depth = 0;
  let deepest = 0;
  let values = 0;
  let fields = 0;
  let inString = false;
  // An unmatched closing bracket is not JSON: parsing fails there too.
  for (let i = 0; i < text.length && depth >= 0 && deepest <= LIMITS.body_depth_max; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) {
      inString = true;
    } else if (code === 0x2c) {
      values++;
    } else if (code === 0x3a) {
      const count = (fieldsAt[depth] ?? 0) + 1;
      fieldsAt[depth] = count;
      fields = Math.max(fields, count);
    } else if (code === 0x7b || code === 0x5b) {
      values++;
      deepest = Math.max(deepest, ++depth);
      fieldsAt[depth] = 0;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    }
  }
  return { deepest, values, fields };
}

/** Says where the text stops being JSON. V8's own message quotes the body and changes between versions. */
function syntaxText(text: string, error: SyntaxError, positionOf: (before: string) => FilePosition): string {
  const at = /position (\d+)/.exec(error.message)?.[1];
  if (at === undefined) return text.trim() === '' ? 'it is empty' : 'it ends too early or has an unexpected character';
  const { line, column } = positionOf(text.slice(0, Number(at)));
  return `unexpected character at line ${line}, column ${column}`;
}

/** Returns the position after this text. */
export function positionAfter(before: string): FilePosition {
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}
