/** The commands of bulk files, except for the writing of their rows, which is native to each engine. */
import * as lists from './lists.ts';
import * as progress from './progress.ts';
import * as uploads from './uploads.ts';

export const files = { ...uploads, ...progress, ...lists };
