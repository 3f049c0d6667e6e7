/** Menu of empty sheets with the documented columns, one for each file type that a sheet can hold. */
import { SHEET_TYPES } from '../../../../../src/domain/vocabulary/file-types.ts';
import { FILE_TYPES } from '../../../api/files.ts';
import { SheetMenu } from './sheet-menu.tsx';

export function TemplateMenu() {
  const items = FILE_TYPES.flatMap(({ value, label }) => {
    const type = SHEET_TYPES.find((one) => one === value);
    if (type === undefined) return [];
    const save = async (format: 'csv' | 'xlsx') =>
      (await import('../../../api/sheets/download-sheet.ts')).downloadTemplate(type, label, format);
    return [{ label, save }];
  });
  return <SheetMenu label="Download template" items={items} />;
}
