/** Menu of empty sheets with the documented columns, one for each file type that a sheet can hold. */
import { SHEET_TYPES } from '#domain/vocabulary/file-types.ts';
import { fileTypeName } from '../../../api/files.ts';
import type { SheetFormat } from '../../../api/sheets/download-sheet.ts';
import { SheetMenu } from './sheet-menu.tsx';

export function TemplateMenu() {
  const items = SHEET_TYPES.map((type) => {
    const label = fileTypeName(type);
    const save = async (format: SheetFormat) =>
      (await import('../../../api/sheets/download-sheet.ts')).downloadTemplate(type, label, format);
    return { label, save };
  });
  return <SheetMenu label="Download template" items={items} />;
}
