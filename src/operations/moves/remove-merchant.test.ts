/** Tests the removal of a merchant during its import. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openMoveFolder } from '../../../test/harness/moved-merchants.ts';
import { accept } from '../../domain/outcome.ts';
import { newRecord } from '../../store/contract/subject.ts';
import { openSqliteMoves } from '../../store/sqlite/open.ts';
import { removeMerchant } from './remove-merchant.ts';

it('exports and removes the whole merchant after the import it waited for has ended', async (t) => {
  const folder = await openMoveFolder(t);
  const importing = await openSqliteMoves({ dataDir: folder.dataDir });
  t.after(() => importing.close());
  const merchant = newRecord();
  const { merchantId } = merchant;
  assert.equal(typeof (await importing.beginImport(merchant)), 'object');
  // The import's lease is valid at the first check; at the second check, the import is done.
  const look = folder.moves.takeOverImport.bind(folder.moves);
  t.mock.method(folder.moves, 'takeOverImport', async () => {
    const found = await look(merchantId);
    if (typeof found !== 'object') return found;
    assert.equal(await importing.finishImport(merchant, []), 'stored');
    return { busy_ms: 1 };
  });
  let exports = 0;
  const removed = await removeMerchant(folder, {
    merchantId,
    isServed: false,
    exportTo: '/exports/whole',
    exportMerchant: async () => {
      exports++;
      return accept(undefined);
    },
  });
  assert.deepEqual(removed, accept({ skus: 0, exportedTo: '/exports/whole' }));
  assert.equal(exports, 1);
  assert.equal(await folder.store.settings.readMerchant(merchantId), undefined);
});
