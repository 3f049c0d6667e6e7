/** Menu of empty sheets with the documented columns, one for each file type that a sheet can hold. */
import { useQuery } from '@tanstack/react-query';
import { SHEET_TYPES } from '#domain/vocabulary/file-types.ts';
import { nodesQuery } from '../../../api/account-settings.ts';
import { fileTypeName } from '../../../api/files.ts';
import type { Environment } from '../../../api/session.ts';
import type { SheetFormat } from '../../../api/sheets/download-sheet.ts';
import { SheetMenu } from './sheet-menu.tsx';

/** A template of offers has columns for the stock of at most this many locations. A sheet may have more. */
const LOCATIONS_MAX = 10;

export function TemplateMenu({ environment }: { readonly environment: Environment }) {
  const nodes = useQuery(nodesQuery(environment));
  const locations = Math.min(nodes.data?.fulfillment_nodes.length ?? 1, LOCATIONS_MAX);
  const items = SHEET_TYPES.map((type) => {
    const label = fileTypeName(type);
    const save = async (format: SheetFormat) =>
      (await import('../../../api/sheets/download-sheet.ts')).downloadTemplate(type, label, format, locations);
    return { label, save };
  });
  return <SheetMenu label="Download template" items={items} />;
}
