/**
 * Lists the versions of the schema: version 1 is the tables of this folder and of shared/schema/, each later one is a migration.
 *
 * A column without a comment has a name that means the same everywhere: ids name a row of the table of that name, `_ms` is
 * a time in milliseconds since 1970, a `number` is a sequence number. Flags are 0 or 1 and JSON is text, except in the table
 * offer, which uses native types of PostgreSQL.
 */
import { FEED } from '../../shared/schema/feed.ts';
import { PEOPLE } from '../../shared/schema/people.ts';
import { REVIEW } from '../../shared/schema/review.ts';
import { SETTINGS } from '../../shared/schema/settings.ts';
import { WORK } from '../../shared/schema/work.ts';
import { OFFERS } from './offers.ts';
import { WORK_ADDITIONS } from './work.ts';

/** Text is compared as bytes, as in SQLite. */
function forPostgres(tables: string): string {
  return tables.replaceAll(/^( {4}\w+ text)\b/gm, '$1 COLLATE "C"').replaceAll(') WITHOUT ROWID;', ');');
}

/** Each table comes after those that it references. */
const SCHEMA = [forPostgres(SETTINGS + PEOPLE), OFFERS, forPostgres(REVIEW + WORK + FEED), WORK_ADDITIONS].join('');

/** Forward only: a released text is never edited, a change is a new text at the end. */
export const MIGRATIONS: readonly string[] = Object.freeze([SCHEMA]);
