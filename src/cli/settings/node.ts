/** offerbook node and return-location: add, change, remove and list the nodes and return locations of merchants. */
import { Option } from 'commander';
import type { RateKind } from '../../domain/account.ts';
import { nodeJson } from '../../domain/setup/node.ts';
import { SERVICE_LEVELS } from '../../domain/vocabulary/service-levels.ts';
import { SHIPPING_METHODS } from '../../domain/vocabulary/shipping-methods.ts';
import { addReturnLocation } from '../../operations/setup/add-return-location.ts';
import { readTarget } from '../../operations/setup/merchant-accounts.ts';
import { addNode, setNode } from '../../operations/setup/put-node.ts';
import { removeNode, removeReturnLocation } from '../../operations/setup/remove-place.ts';
import { type AccountOptions, accountsOf, type CliCommand, collect } from '../options.ts';
import { print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { changeSetup, helpNames, readSetup } from './setup-session.ts';

interface PutOptions extends AccountOptions {
  readonly rates: keyof typeof RATE_KIND_OF_CHOICE;
  readonly method: readonly string[];
  readonly level: readonly string[];
}

const RATE_KIND_OF_CHOICE = { flat: 'flat', 'per-pound': 'per_pound' } as const satisfies Record<string, RateKind>;

export function addNodeCommands(program: CliCommand, shell: Shell): void {
  const node = program.command('node').description("Add, change, remove and list merchants' fulfillment nodes.");
  const [method, otherMethod] = ['<carrier_2> Ground', '<carrier_2> 2 Day'].map((name) =>
    helpNames(shell).method(name),
  );

  addPutOptions(node.command('add'), shell)
    .description('Add a fulfillment node to a merchant; refused if it exists.')
    .action((nodeId: string, options: PutOptions) => putNode(shell, 'added', nodeId, options))
    .examples(
      `node add east --merchant acme --rates flat --method "${method}" --level Standard`,
      `node add west --merchant acme --env test --rates per-pound --method Freight --level "Scheduled (freight)"`,
    );

  addPutOptions(node.command('set'), shell)
    .description('Replace all settings of a fulfillment node; refused if it does not exist.')
    .action((nodeId: string, options: PutOptions) => putNode(shell, 'changed', nodeId, options))
    .examples(
      `node set east --merchant acme --rates flat --method "${method}" --method "${otherMethod}" --level Standard`,
    );

  node
    .command('remove')
    .description("Remove a merchant's fulfillment node; refused while offers use it.")
    .argument('<node-id>', 'id of the node')
    .accountOptions()
    .action((nodeId: string, options: AccountOptions) => dropNode(shell, nodeId, options))
    .examples('node remove east --merchant acme', 'node remove east --merchant acme --env test');

  node
    .command('list')
    .description("List a merchant's fulfillment nodes.")
    .accountOptions()
    .action((options: AccountOptions) => showNodes(shell, options))
    .examples('node list --merchant acme', 'node list --merchant acme --env live --json');
}

export function addReturnLocationCommands(program: CliCommand, shell: Shell): void {
  const location = program.command('return-location').description("Add, remove and list merchants' return locations.");

  location
    .command('add')
    .description('Add a return location to a merchant; refused if it exists.')
    .argument('<location-id>', 'id of the location, as the merchant uses it in calls')
    .accountOptions()
    .action((locationId: string, options: AccountOptions) => changeLocation(shell, 'added', locationId, options))
    .examples(
      'return-location add returns-east --merchant acme',
      'return-location add returns-west --merchant acme --env test',
    );

  location
    .command('remove')
    .description("Remove a merchant's return location; refused while offers use it.")
    .argument('<location-id>', 'id of the location')
    .accountOptions()
    .action((locationId: string, options: AccountOptions) => changeLocation(shell, 'removed', locationId, options))
    .examples('return-location remove returns-east --merchant acme');

  location
    .command('list')
    .description("List a merchant's return locations.")
    .accountOptions()
    .action((options: AccountOptions) => showLocations(shell, options))
    .examples('return-location list --merchant acme', 'return-location list --merchant acme --env live --json');
}

function addPutOptions(command: CliCommand, shell: Shell): CliCommand {
  const names = helpNames(shell);
  return command
    .argument('<node-id>', 'id of the node, as the merchant uses it in calls')
    .accountOptions()
    .addOption(
      new Option('--rates <kind>', 'how shipping rates for the node are calculated')
        .choices(Object.keys(RATE_KIND_OF_CHOICE))
        .makeOptionMandatory(),
    )
    .requiredOption('--method <method>', 'a shipping method that the node uses; repeat for several', collect)
    .requiredOption('--level <level>', 'a service level that the node offers; repeat for several', collect)
    .notes(
      'Methods:',
      ...SHIPPING_METHODS.map((method) => `  ${names.method(method)}`),
      '',
      'Levels:',
      ...SERVICE_LEVELS.map((level) => `  ${level}`),
    );
}

async function putNode(shell: Shell, done: 'added' | 'changed', nodeId: string, options: PutOptions): Promise<void> {
  const sent = {
    fulfillment_node_id: nodeId,
    rate_kind: RATE_KIND_OF_CHOICE[options.rates],
    shipping_methods: options.method,
    service_levels: options.level,
  };
  const operation = done === 'added' ? addNode : setNode;
  const { value, names } = await changeSetup(shell, sent, (context, body) =>
    operation(context, accountsOf(options), body),
  );
  const what = `Fulfillment node ${printable(value.id)}`;
  printChanged(shell, options, { what, done, json: { fulfillment_node: nodeJson(value, names) } });
}

async function dropNode(shell: Shell, nodeId: string, options: AccountOptions): Promise<void> {
  const sent = { fulfillment_node_id: nodeId };
  await changeSetup(shell, sent, (context) => removeNode(context, accountsOf(options), nodeId));
  printChanged(shell, options, { what: `Fulfillment node ${printable(nodeId)}`, done: 'removed', json: sent });
}

async function changeLocation(
  shell: Shell,
  done: 'added' | 'removed',
  locationId: string,
  options: AccountOptions,
): Promise<void> {
  const sent = { return_location_id: locationId };
  const { value } = await changeSetup(shell, sent, (context, body) =>
    done === 'added'
      ? addReturnLocation(context, accountsOf(options), body)
      : removeReturnLocation(context, accountsOf(options), locationId),
  );
  const what = `Return location ${printable(value)}`;
  printChanged(shell, options, { what, done, json: { return_location_id: value } });
}

function printChanged(
  shell: Shell,
  options: AccountOptions,
  { what, done, json }: { readonly what: string; readonly done: string; readonly json: object },
): void {
  const { merchantId, environments } = accountsOf(options);
  print(shell, options, {
    json: { merchant_id: merchantId, environments, ...json },
    lines: [`${what} of ${merchantId} was ${done} in ${environments.join(' and ')}.`],
  });
}

async function showNodes(shell: Shell, options: AccountOptions): Promise<void> {
  const target = accountsOf(options);
  const { value: accounts, names } = await readSetup(shell, ({ store }) => readTarget(store, target));
  const shown = accounts.map(({ environment, nodes }) => {
    return [environment, Array.from(nodes.values(), (node) => nodeJson(node, names))] as const;
  });
  const rows = shown.flatMap(([environment, nodes]) =>
    nodes.map((node) => [
      environment,
      node.fulfillment_node_id,
      node.rate_kind === 'flat' ? 'flat' : 'per-pound',
      node.shipping_methods.join(', '),
      node.service_levels.join(', '),
    ]),
  );
  print(shell, options, {
    json: { merchant_id: target.merchantId, fulfillment_nodes: Object.fromEntries(shown) },
    lines: table(
      ['ENVIRONMENT', 'NODE', 'RATES', 'METHODS', 'LEVELS'],
      rows,
      `Merchant ${target.merchantId} has no fulfillment nodes in ${target.environments.join(' or ')}.`,
    ),
  });
}

async function showLocations(shell: Shell, options: AccountOptions): Promise<void> {
  const target = accountsOf(options);
  const { value: accounts } = await readSetup(shell, ({ store }) => readTarget(store, target));
  const shown = accounts.map(({ environment, returnLocationIds }) => {
    return [environment, Array.from(returnLocationIds, (id) => ({ return_location_id: id }))] as const;
  });
  print(shell, options, {
    json: { merchant_id: target.merchantId, return_locations: Object.fromEntries(shown) },
    lines: table(
      ['ENVIRONMENT', 'LOCATION'],
      shown.flatMap(([environment, locations]) =>
        locations.map((location) => [environment, location.return_location_id]),
      ),
      `Merchant ${target.merchantId} has no return locations in ${target.environments.join(' or ')}.`,
    ),
  });
}
