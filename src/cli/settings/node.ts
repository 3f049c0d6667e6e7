/** offerbook node: adds, changes, removes and lists the fulfillment nodes of merchants. */
import { type Command, Option } from 'commander';
import type { FulfillmentNode, RateKind } from '../../domain/account.ts';
import type { Names } from '../../domain/names.ts';
import { SERVICE_LEVELS } from '../../domain/vocabulary/service-levels.ts';
import { SHIPPING_METHODS } from '../../domain/vocabulary/shipping-methods.ts';
import { listNodes } from '../../operations/setup/list-settings.ts';
import { addNode, setNode } from '../../operations/setup/put-node.ts';
import { removeNode } from '../../operations/setup/remove-place.ts';
import { helpNames } from '../help-names.ts';
import {
  collect,
  type EnvironmentChoice,
  environmentsOf,
  environmentsOption,
  finish,
  merchantOption,
} from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { changeSetup, readSetup } from './setup-session.ts';

interface ListOptions extends OutputOptions {
  readonly merchant: string;
  readonly env: EnvironmentChoice;
}

interface PutOptions extends ListOptions {
  readonly rates: keyof typeof RATE_KIND_OF_CHOICE;
  readonly method: readonly string[];
  readonly level: readonly string[];
}

const RATE_KIND_OF_CHOICE = { flat: 'flat', 'per-pound': 'per_pound' } as const satisfies Record<string, RateKind>;

export function addNodeCommands(program: Command, shell: Shell): void {
  const node = program.command('node').description("Add, change, remove and list merchants' fulfillment nodes.");
  const [method, otherMethod] = ['<carrier_2> Ground', '<carrier_2> 2 Day'].map((name) =>
    helpNames(shell).method(name),
  );

  const add = node.command('add').description('Add a fulfillment node to a merchant; refused if it exists.');
  addPutOptions(add, shell).action((nodeId: string, options: PutOptions) => put(shell, 'added', nodeId, options));
  finish(add, [
    `node add east --merchant acme --rates flat --method "${method}" --level Standard`,
    `node add west --merchant acme --env test --rates per-pound --method Freight --level "Scheduled (freight)"`,
  ]);

  const set = node
    .command('set')
    .description('Replace all settings of a fulfillment node; refused if it does not exist.');
  addPutOptions(set, shell).action((nodeId: string, options: PutOptions) => put(shell, 'changed', nodeId, options));
  finish(set, [
    `node set east --merchant acme --rates flat --method "${method}" --method "${otherMethod}" --level Standard`,
  ]);

  finish(
    node
      .command('remove')
      .description("Remove a merchant's fulfillment node; refused while offers use it.")
      .argument('<node-id>', 'id of the node')
      .addOption(merchantOption())
      .addOption(environmentsOption())
      .action((nodeId: string, options: ListOptions) => remove(shell, nodeId, options)),
    ['node remove east --merchant acme', 'node remove east --merchant acme --env test'],
  );

  finish(
    node
      .command('list')
      .description("List a merchant's fulfillment nodes.")
      .addOption(merchantOption())
      .addOption(environmentsOption())
      .action((options: ListOptions) => list(shell, options)),
    ['node list --merchant acme', 'node list --merchant acme --env live --json'],
  );
}

function addPutOptions(command: Command, shell: Shell): Command {
  const names = helpNames(shell);
  return command
    .argument('<node-id>', 'id of the node, as the merchant uses it in calls')
    .addOption(merchantOption())
    .addOption(environmentsOption())
    .addOption(
      new Option('--rates <kind>', 'how shipping rates for the node are calculated')
        .choices(Object.keys(RATE_KIND_OF_CHOICE))
        .makeOptionMandatory(),
    )
    .requiredOption('--method <method>', 'a shipping method that the node uses; repeat for several', collect)
    .requiredOption('--level <level>', 'a service level that the node offers; repeat for several', collect)
    .addHelpText(
      'after',
      [
        '',
        'Methods:',
        ...SHIPPING_METHODS.map((method) => `  ${names.method(method)}`),
        '',
        'Levels:',
        ...SERVICE_LEVELS.map((level) => `  ${level}`),
      ].join('\n'),
    );
}

async function put(shell: Shell, done: 'added' | 'changed', nodeId: string, options: PutOptions): Promise<void> {
  const target = { merchantId: options.merchant, environments: environmentsOf(options.env) };
  const sent = {
    fulfillment_node_id: nodeId,
    rate_kind: RATE_KIND_OF_CHOICE[options.rates],
    shipping_methods: options.method,
    service_levels: options.level,
  };
  const operation = done === 'added' ? addNode : setNode;
  const { value, names } = await changeSetup(shell, sent, (context, body) => operation(context, target, body));
  const where = target.environments.join(' and ');
  print(shell, options, {
    json: {
      merchant_id: target.merchantId,
      environments: target.environments,
      fulfillment_node: nodeJson(value, names),
    },
    lines: [`Fulfillment node ${printable(value.id)} of ${target.merchantId} was ${done} in ${where}.`],
  });
}

async function remove(shell: Shell, nodeId: string, options: ListOptions): Promise<void> {
  const target = { merchantId: options.merchant, environments: environmentsOf(options.env) };
  const sent = { fulfillment_node_id: nodeId };
  const { value } = await changeSetup(shell, sent, (context) => removeNode(context, target, nodeId));
  const where = target.environments.join(' and ');
  print(shell, options, {
    json: { merchant_id: target.merchantId, environments: target.environments, fulfillment_node_id: value },
    lines: [`Fulfillment node ${printable(value)} of ${target.merchantId} was removed in ${where}.`],
  });
}

async function list(shell: Shell, options: ListOptions): Promise<void> {
  const target = { merchantId: options.merchant, environments: environmentsOf(options.env) };
  const { value: accounts, names } = await readSetup(shell, (context) => listNodes(context, target));
  const shown = accounts.map(({ environment, nodes }) => {
    return [environment, nodes.map((node) => nodeJson(node, names))] as const;
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
    lines:
      rows.length === 0
        ? [`Merchant ${target.merchantId} has no fulfillment nodes in ${target.environments.join(' or ')}.`]
        : table(['ENVIRONMENT', 'NODE', 'RATES', 'METHODS', 'LEVELS'], rows),
  });
}

/** Formats a node as the API shows it to the merchant. */
function nodeJson(node: FulfillmentNode, names: Names) {
  return {
    fulfillment_node_id: node.id,
    rate_kind: node.rateKind,
    shipping_methods: node.methods.map((method) => names.method(method)),
    service_levels: node.levels,
  };
}
