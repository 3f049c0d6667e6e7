/**
 * Lists the versions of the schema: version 1 is the tables of this folder, each later one is a migration.
 *
 * Both engines have the same tables and columns, except where src/store/schema.test.ts gives a reason. A column without a
 * comment has a name that means the same everywhere: ids name a row of the table of that name, `_ms` is a time in
 * milliseconds since 1970, a `number` is a sequence number. Flags are 0 or 1, JSON is text, and hashes are bytes.
 */
import { OFFERS } from './offers.ts';
import { PEOPLE } from './people.ts';
import { REVIEW } from './review.ts';
import { SETTINGS } from './settings.ts';
import { WORK } from './work.ts';

/** Each stands after those that it refers to. */
const SCHEMA = [SETTINGS, PEOPLE, OFFERS, REVIEW, WORK].join('');

/** Forward only: a released text is never edited, a change is a new text at the end. */
export const MIGRATIONS: readonly string[] = Object.freeze([SCHEMA]);
