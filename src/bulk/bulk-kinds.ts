/** Names the kinds of work of the bulk file thread, for code that monitors them without loading the work itself. */
import { FILE_TYPES } from '../domain/vocabulary/file-types.ts';
import { fileKind, REPORT_KIND } from '../store/port/files.ts';

export const BULK_KINDS: readonly string[] = Object.freeze([...FILE_TYPES.map(fileKind), REPORT_KIND]);
