/** Describes the body that submits an uploaded file for processing. */
import { OneOf, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { FILE_TYPES } from '../vocabulary/file-types.ts';
import { type BodyCheck, createBodyCheck } from './body-check.ts';

export const FileTypeSchema = OneOf(FILE_TYPES, {
  title: 'FileType',
  description: 'What each row of the file contains.',
});

export const FileUploadedBody = Type.Object({
  url: Text(LIMITS.url_characters_max, { description: 'The `url` that you sent the file to.' }),
  file_type: FileTypeSchema,
  file_name: Text(LIMITS.file_name_characters_max, { min: 1, description: 'Your own name for the file.' }),
});

export type FileUploaded = Static<typeof FileUploadedBody>;

export function createFileUploadedCheck(names: Names): BodyCheck<FileUploaded> {
  return createBodyCheck(FileUploadedBody, names);
}
