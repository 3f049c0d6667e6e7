/** Lists the versions of the schema: version 1 is the tables of this folder, each later one is a migration. */
import { OFFERS } from './offers.ts';
import { PEOPLE } from './people.ts';
import { REVIEW } from './review.ts';
import { SETTINGS } from './settings.ts';
import { WORK } from './work.ts';

/** Each stands after those that it refers to. */
const SCHEMA = [SETTINGS, PEOPLE, OFFERS, REVIEW, WORK].join('');

/** Forward only: a released text is never edited, a change is a new text at the end. */
export const MIGRATIONS: readonly string[] = Object.freeze([SCHEMA]);
