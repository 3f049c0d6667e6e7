/** The kinds of work that are done in the thread of bulk files; for those who watch them, who need not load that work. */
import { FILE_TYPES } from '../domain/vocabulary/file-types.ts';
import { fileKind, REPORT_KIND } from '../store/port/files.ts';

export const BULK_KINDS: readonly string[] = Object.freeze([...FILE_TYPES.map(fileKind), REPORT_KIND]);
