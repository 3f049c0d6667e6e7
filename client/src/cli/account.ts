/** Commands for the settings of the account, announced changes and the taxonomy. */
import { toJson } from '../json.ts';
import type { Commands } from './command.ts';
import { first } from './offers.ts';
import { print, printable, table } from './terminal.ts';

export const ACCOUNT_COMMANDS: Commands = {
  nodes: {
    takes: '',
    about: 'Print your fulfillment nodes.',
    async run(run) {
      const nodes = await (await run.client()).nodes();
      const rows = nodes.map((node) => [
        node.fulfillment_node_id,
        node.rate_kind,
        node.service_levels.join(', '),
        node.shipping_methods.join(', '),
      ]);
      run.result({ fulfillment_nodes: nodes }, () =>
        table(['ID', 'RATES', 'SERVICE LEVELS', 'SHIPPING METHODS'], rows),
      );
      return undefined;
    },
  },
  'return-locations': {
    takes: '',
    about: 'Print your return locations.',
    async run(run) {
      const answer = await (await run.client()).returnLocations();
      run.result(answer, () => answer.return_locations.map((place) => printable(place.return_location_id)).join('\n'));
      return undefined;
    },
  },
  upcoming: {
    takes: '',
    about: 'Print the announced changes of requirements, next first, with the number of your offers that will fail.',
    async run(run) {
      const changes = await (await run.client()).upcoming();
      const rows = changes.map(({ id, enforced_from, offers, rule }) => [
        String(id),
        enforced_from,
        String(offers),
        rule,
      ]);
      run.result(changes, () =>
        rows.length === 0 ? 'No changes are announced.' : table(['ID', 'APPLIES FROM', 'OFFERS', 'CHANGE'], rows),
      );
      return undefined;
    },
  },
  'taxonomy search': {
    takes: '<word>...',
    about: 'Print the categories that match all words, best match first. Offers can be listed only in leaves.',
    async run(run) {
      const nodes = await (await run.client()).taxonomy.search(run.values.join(' '));
      const rows = nodes.map((node) => [
        String(neutral(node, 'node_id')),
        node.is_leaf && node.active ? 'yes' : 'no',
        String(neutral(node, 'node_path')),
      ]);
      run.result(nodes, () => table(['ID', 'LISTABLE', 'PATH'], rows));
      return nodes.length > 0;
    },
  },
  'taxonomy show': {
    takes: '<id>',
    about: 'Print a category with its attributes, as JSON.',
    async run(run) {
      const { taxonomy } = await run.client();
      const node = await taxonomy.node(first(run));
      if (node === undefined) {
        run.result(null, () => `${printable(first(run))}: not found.`);
        return false;
      }
      print(toJson({ ...node, attributes: await taxonomy.attributes(first(run)) }));
      return undefined;
    },
  },
};

/** Returns a field whose first word the operator may have replaced. */
function neutral(node: object, end: string): unknown {
  return Object.entries(node).find(([field]) => field.endsWith(`_${end}`))?.[1];
}
