/** Menu that saves the offers of the current filter: the list, or sheets that can be edited and uploaded again. */
import { SHEET_TYPES } from '#domain/vocabulary/file-types.ts';
import { fileTypeName } from '../../../api/files.ts';
import type { OfferFilters } from '../../../api/offer-filters.ts';
import { exportUrl } from '../../../api/offers.ts';
import type { SheetFormat } from '../../../api/sheets/download-sheet.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { SheetMenu } from '../upload/sheet-menu.tsx';

export function ExportMenu({ filters }: { readonly filters: OfferFilters }) {
  const environment = useEnvironment();
  const items = [undefined, ...SHEET_TYPES].map((type) => {
    const label = type === undefined ? 'This list' : fileTypeName(type);
    const save = async (format: SheetFormat) =>
      (await import('../../../api/sheets/download-sheet.ts')).downloadExport(
        exportUrl(environment, filters, type),
        label,
        format,
      );
    return { label, isOnlyCsv: type === undefined, save };
  });
  return <SheetMenu label="Export" size="xs" items={items} />;
}
