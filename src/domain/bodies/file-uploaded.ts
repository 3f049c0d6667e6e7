/** Describes the body that submits an uploaded file for processing. */
import Type, { type Static } from 'typebox';
import { OneOf, Text } from '../check/schema.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { FILE_TYPES } from '../vocabulary/file-types.ts';
import { type BodyCheck, createBodyCheck } from './body-check.ts';

export const FileUploadedBody = Type.Object({
  url: Text(LIMITS.url_characters_max, { description: 'The `url` that the file was sent to.' }),
  file_type: OneOf(FILE_TYPES, { description: 'What the rows are.' }),
  file_name: Text(LIMITS.file_name_characters_max, { min: 1, description: 'Your own name of it, to know it again.' }),
});

export type FileUploaded = Static<typeof FileUploadedBody>;

export function createFileUploadedCheck(names: Names): BodyCheck<FileUploaded> {
  return createBodyCheck(FileUploadedBody, names);
}
