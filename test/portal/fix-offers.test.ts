/** Tests the fixes of many offers: their list, and the bulk file that applies chosen ones; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LIMITS } from '../../src/domain/limits.ts';
import { ApiClient, skuPath } from '../harness/api-client.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

interface Page {
  readonly offers: readonly {
    readonly sku: string;
    readonly title: string;
    readonly fixes: readonly { readonly id: string; readonly kind: string; readonly before: unknown }[];
  }[];
  readonly examined: number;
  readonly next: string | null;
}

interface Fixed {
  readonly offers: number;
  readonly skipped: number;
  readonly file?: { readonly marketplace_file_id: string; readonly file_name: string };
}

const TELEVISIONS = 1_021_510;
const FAULTY = {
  product_title: 'Television, 55 inch, pack of 2',
  multipack_quantity: 1,
  marketplace_browse_node_id: TELEVISIONS,
  attributes_node_specific: [{ attribute_id: 169, attribute_value: '55 inches' }],
};
const PACK = '/test/offers/fixes?sub_status=Incorrect%20multipack%20quantity';

for (const variant of VARIANTS_BY_SCOPE) {
  describe(`portal: fixes of many offers (${variant.store})`, { skip: variant.skip }, () => {
    let api: ApiClient;
    let admin: PortalClient;

    before(async () => {
      api = await ApiClient.open(variant);
      admin = await PortalClient.signIn(api.server, 'merchant-admin');
      for (const sku of ['fix-a', 'fix-b', 'fix-c'])
        await api.uploadedSku({ ...api.newProductCodes(), ...FAULTY }, sku);
      await api.uploadedSku({ ...api.newProductCodes(), product_title: 'A pot to cook in' }, 'fix-none');
      await waitToSee('the reviews', async () => {
        const { offers } = await admin.found<Page>('GET', PACK);
        const { examined } = await admin.found<Page>('GET', '/test/offers/fixes?q=fix-none');
        return (offers.length === 3 && examined === 1) || undefined;
      });
    });
    after(() => api.server.close());

    const kinds = ({ offers }: Page) =>
      offers.map(({ sku, fixes }) => [sku, ...fixes.map(({ kind, before: value }) => [kind, value])]);
    const quantityOf = async (sku: string) => (await api.found(skuPath(sku))).multipack_quantity;

    it('lists the fixes for an issue, or for all, page by page', async () => {
      const { next, ...page } = await admin.found<Page>('GET', `${PACK}&limit=2&sort=oldest`);
      assert.deepEqual([page.offers.map(({ sku }) => sku), page.examined], [['fix-a', 'fix-b'], 2]);
      assert.deepEqual(page.offers[0]?.title, FAULTY.product_title);
      const last = await admin.found<Page>('GET', `${PACK}&limit=2&sort=oldest&after=${next}`);
      assert.deepEqual([kinds(last), last.next], [[['fix-c', ['multipack_quantity', 1]]], null]);
      const all = await admin.found<Page>('GET', '/test/offers/fixes?q=fix-c');
      assert.deepEqual(kinds(all), [
        ['fix-c', ['attribute', FAULTY.attributes_node_specific[0]], ['multipack_quantity', 1]],
      ]);
      const none = await admin.found<Page>('GET', '/test/offers/fixes?q=fix-none');
      assert.deepEqual([none.offers, none.examined], [[], 1]);
    });

    it('applies chosen fixes with one file, skips offers that have changed, and can be undone', async () => {
      const { offers } = await admin.found<Page>('GET', PACK);
      const chosen = offers.map(({ sku, fixes }) => ({ sku, fixes: fixes.map(({ id }) => id) }));
      await api.accepted('PUT', skuPath('fix-b'), {
        ...(await api.found(skuPath('fix-b'))),
        brand: 'Changed meanwhile',
      });
      const unknown = { sku: 'fix-none', fixes: ['4711'] };
      const { file, ...fixed } = await admin.found<Fixed>('POST', '/test/offers/fixes', {
        offers: [...chosen, unknown],
      });
      assert.deepEqual([fixed, file?.file_name], [{ offers: 2, skipped: 2 }, 'Apply fixes (2 offers)']);
      const id = file?.marketplace_file_id;
      const ended = async (fileId: string | undefined) =>
        waitToSee('the end of the file', async () => {
          const record = await admin.found<{ status: string }>('GET', `/test/files/${fileId}`);
          return record.status === 'Processed successfully' || undefined;
        });
      await ended(id);
      assert.deepEqual(await Promise.all(['fix-a', 'fix-b', 'fix-c'].map(quantityOf)), [2, 1, 2]);
      const again = await admin.found<Fixed>('POST', '/test/offers/fixes', { offers: chosen });
      assert.deepEqual(again, { offers: 0, skipped: 3 }, 'nothing is left to do');
      const undone = await admin.send('POST', `/test/files/${id}/undo`);
      const { file: undo } = undone.body as Fixed;
      await ended(undo?.marketplace_file_id);
      assert.deepEqual(await Promise.all(['fix-a', 'fix-c'].map(quantityOf)), [1, 1]);
    });

    it('refuses viewers, too many offers and malformed bodies', async () => {
      const viewer = await PortalClient.signIn(api.server, 'merchant-viewer');
      const offer = { sku: 'fix-a', fixes: ['x'] };
      assert.equal((await viewer.send('GET', PACK)).status, 200);
      assert.equal((await viewer.send('POST', '/test/offers/fixes', { offers: [offer] })).status, 403);
      const max = LIMITS.offers_fixed_max;
      for (const offers of [[], Array(max + 1).fill(offer)]) {
        const code = offers.length === 0 ? 'too_few' : 'too_many';
        const text = `offers: must have 1 to ${max} entries`;
        await admin.refused('POST', '/test/offers/fixes', { offers }, [[code, '/offers', text]]);
      }
      const text = 'offers[0].fixes: is required';
      const bare = { offers: [{ sku: 'fix-a' }] };
      await admin.refused('POST', '/test/offers/fixes', bare, [['required', '/offers/0/fixes', text]]);
      assert.equal((await admin.send('GET', '/test/offers/fixes?sub_status=Sold')).status, 400);
    });
  });
}
