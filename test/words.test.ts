/** Enforces the wording rules that can be automated: comment style, banned words in comments and user-facing text, and plural forms. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '..');

/**
 * Plain words to use instead: the person who does it, fix, review, with, submit, email, settings, check, skip, delay,
 * silently, response, respond, URL.
 */
const BANNED_WORDS = [
  'also if',
  'whoever|whomever|somebody|nobody|oneself|that (?:is|are) none',
  'mend(?:s|ed|ing)?|judge[ds]?|judg(?:e?ment|ing)|beside|e-mail|set-up|in charge of|what holds',
  'hand(?:s|ed|ing)? over|(?:give|gives|gave|giving) way|step(?:s|ped|ping)? back|pass(?:es|ed) over|(?:hold|holds|held|holding) up',
  'look(?:ed|s) at|look(?:s|ed|ing)? again|new look|in the eyes of|without a word|as it stands|turn by turn|aimed at',
  'can only be read|(?:signed|upload) address(?:es)?|already in line|some \\d[\\d,.]* (?:us|ms|seconds|bytes|[KMG]i?B)',
  'answers with|answered with|answers? `?[1-5]\\d\\d|(?:does|do|did) not answer|(?:the|an|each|every|no) answer (?:is|has|lists|to)',
];
const BANNED = new RegExp(`\\b(?:${BANNED_WORDS.join('|')})\\b|(?<![</])\\bpictures?\\b(?! frames)`, 'i');

/** The API's field names are American, so texts are too, except "cancelled": it is a status of files in the API. */
const BRITISH =
  /(?<!@img\/)colour|behaviour|favour|honour|neighbour|\b(?:misspelt|licences?|pass phrases?|labelled|travell(?:ed|ing)|modelled|signalled|grey|greys|litres?\b(?!\?)|centred?|catalogues?|enamelled)\b|(?:normal|recogn|summar|serial|categor|organ|optim|initial|minim|priorit|synchron|author|custom|real)is(?:e[ds]?|ing|ation)\b/i;

const THINGS =
  'accounts|attributes|bytes|categories|characters|credential sets|days|entries|errors|fields|files|hours|images|issues|keys|' +
  'lines|merchants|minutes|nodes|offers|policies|problems|processes|products|programs|reports|requests|rows|seconds|' +
  'sessions|SKUs|users|workers';
const WRONG_PLURAL = new RegExp(`(?<![\\d.,:/-])1 (?:${THINGS})\\b`);
/** A count before a fixed plural, which gives "1 merchants". */
const FIXED_PLURAL = new RegExp(`\\$\\{[^{}]*(?:\\.length|\\.size|[cC]ount|[tT]otal)\\} (?:${THINGS})\\b`);

/** Strings come first, so that `http://` in one is not taken for a comment. */
const TOKEN =
  /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/gm;

const code = filesOf('{src,portal/src,client/src,site,test,bench,prove,scripts}/**/*.{ts,tsx,js,mjs}').filter(
  (file) => file !== 'test/words.test.ts',
);
const texts = [
  ...filesOf('{src,portal/src,client/src}/**/*.{ts,tsx}').filter(
    (file) => !/\.test\.tsx?$|\/testing\/|^src\/store\//.test(file),
  ),
  ...filesOf('{README,ARCHITECTURE,CHANGELOG,CODE_OF_CONDUCT,CONTRIBUTING,SECURITY}.md'),
  ...filesOf('docs/**/*.md'),
];

describe('comments', () => {
  const comments = code.map((file) => ({ file, comments: commentsOf(read(file)) }));

  it('are found, in every kind', () => {
    const found = commentsOf(
      "/** One. */\n/**\n * Two,\n * still.\n */\nf('http://x'); // Three.\ng();\n// Four,\n// still.\n",
    );
    assert.deepEqual(found, ['One.', 'Two, still.', 'Three.', 'Four, still.']);
    assert.ok(comments.flatMap((one) => one.comments).length > 1000);
  });

  it('say what the module does, without "In charge of"', () => {
    assert.deepEqual(violations(comments, /\bIn charge of\b/i), []);
  });

  it('do not begin with a dangling "Of"', () => {
    assert.deepEqual(violations(comments, /^Of\b/), []);
  });

  it('use no banned word, except in `code`', () => {
    const prose = comments.map((one) => ({
      ...one,
      comments: one.comments.map((text) => text.replace(/`[^`]*`/g, '')),
    }));
    assert.deepEqual(violations(prose, BANNED), []);
  });

  it('use American spelling', () => {
    assert.deepEqual(violations(comments, BRITISH), []);
  });
});

describe('texts that users read', () => {
  const shown = texts.map((file) => ({ file, comments: textsOf(file) }));

  it('are found, in every kind', () => {
    const found = literalsOf("f('one two', `three \x24{x}`, \"don't\") // 'no'\n/** 'nor this' */ const y = 'a-b';");
    assert.deepEqual(found, ['one two', 'three \x24{x}', "don't", 'a-b']);
    assert.ok(shown.flatMap((one) => one.comments).length > 1000);
  });

  it('use no banned word', () => {
    assert.match('Nobody has signed in.', BANNED);
    assert.deepEqual(violations(shown, BANNED), []);
  });

  it('use American spelling', () => {
    assert.match('A misspelt colour', BRITISH);
    assert.deepEqual(violations(shown, BRITISH), []);
  });

  it('spell "cancelled" as the API does', () => {
    assert.deepEqual(violations(shown, /\bcanceled\b/i), []);
  });

  it('use the singular for one', () => {
    assert.match('there are 1 merchants', WRONG_PLURAL);
    assert.match('\x24{names.length} merchants', FIXED_PLURAL);
    assert.deepEqual(violations(shown, WRONG_PLURAL), []);
    assert.deepEqual(violations(shown, FIXED_PLURAL), []);
  });
});

interface Found {
  readonly file: string;
  readonly comments: readonly string[];
}

function violations(found: readonly Found[], rule: RegExp): string[] {
  return found.flatMap(({ file, comments }) =>
    comments.filter((text) => rule.test(text)).map((text) => `${file}: ${text}`),
  );
}

function filesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }).sort();
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function commentsOf(source: string): string[] {
  const comments = source.match(TOKEN)?.filter((token) => token.startsWith('/')) ?? [];
  return comments.map((comment) =>
    comment
      .replace(/^\/[*/]+|\*\/$/g, '')
      .replace(/\n[ \t]*(?:\*|\/\/)?/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

function literalsOf(source: string): string[] {
  return (source.match(TOKEN) ?? []).filter((token) => !token.startsWith('/')).map((token) => token.slice(1, -1));
}

/** Prose of a page by line; literals of a module, and the text between the tags of a page of the portal. */
function textsOf(file: string): readonly string[] {
  const source = read(file);
  if (file.endsWith('.md')) return source.split('\n');
  const tagged = file.endsWith('.tsx') ? (source.match(/>[^<>{}=;]+</g) ?? []) : [];
  return [...literalsOf(source), ...tagged];
}
