/**
 * Reads the fenced blocks of a Markdown page, and the comment on the line above each block:
 *
 * - `<!-- not run: REASON -->`: the commands need something that a test does not have, such as root or Docker.
 * - `<!-- file: NAME -->`: the reader saves the block under this name before going on.
 * - `<!-- answer -->`: the output of the previous block. `…` stands for any text.
 */
import assert from 'node:assert/strict';

export interface Block {
  /** The line of the page on which the block starts. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly mark: 'not run' | 'file' | 'answer' | undefined;
  /** The reason for `not run`, or the name of the file. */
  readonly detail: string;
}

const FENCE = /^( *)```(\S*).*$/;
const MARK = /^ *<!-- (not run|file|answer)(?:: (.+?))? -->$/;

export function blocksOf(page: string): Block[] {
  const lines = page.split('\n');
  const blocks: Block[] = [];
  for (let place = 0; place < lines.length; place++) {
    const [, indent, language = ''] = FENCE.exec(lines[place] ?? '') ?? [];
    if (indent === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, place + 1);
    assert.ok(end > place, `line ${place + 1}: the block has no end`);
    const above = lines[place - 1] === '' ? lines[place - 2] : lines[place - 1];
    const [, mark, detail = ''] = MARK.exec(above ?? '') ?? [];
    blocks.push({
      line: place + 2,
      language,
      text: lines
        .slice(place + 1, end)
        .map((line) => line.slice(indent.length))
        .join('\n'),
      mark: mark as Block['mark'],
      detail,
    });
    place = end;
  }
  return blocks;
}

export function isCommands({ language }: Block): boolean {
  return ['sh', 'bash', 'shell', 'console'].includes(language);
}

/**
 * Asserts that a command printed what the page says. JSON is compared by value; other text must contain the shown lines in this
 * order.
 */
export function assertAnswer({ language, text }: Block, output: string): void {
  if (language === 'json') {
    assertLike(JSON.parse(output), JSON.parse(text), output);
    return;
  }
  let rest = output.replaceAll('\r\n', '\n').split('\n');
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const place = rest.findIndex((one) => isLike(one.trimEnd(), line.trimEnd()));
    assert.ok(place >= 0, `"${line}" is not in the output:\n${output}`);
    rest = rest.slice(place + 1);
  }
}

function assertLike(actual: unknown, shown: unknown, output: string): void {
  if (typeof shown === 'string' && shown.includes('…')) {
    assert.ok(isLike(String(actual), shown), `${shown} is shown, ${actual} was returned:\n${output}`);
  } else if (Array.isArray(shown)) {
    const isOpen = shown.at(-1) === '…';
    const entries = isOpen ? shown.slice(0, -1) : shown;
    assert.ok(Array.isArray(actual), output);
    assert.ok(isOpen ? actual.length >= entries.length : actual.length === entries.length, output);
    for (const [place, entry] of entries.entries()) assertLike(actual[place], entry, output);
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, output);
    const { '…': open, ...fields } = shown as Record<string, unknown>;
    if (open === undefined) assert.deepEqual(Object.keys(actual), Object.keys(fields), output);
    for (const [name, value] of Object.entries(fields)) {
      assertLike((actual as Record<string, unknown>)[name], value, output);
    }
  } else {
    assert.deepEqual(actual, shown, output);
  }
}

function isLike(text: string, shown: string): boolean {
  const parts = shown.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}
