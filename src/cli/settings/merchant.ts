/** offerbook merchant: adds, changes, lists, suspends and removes merchants. */
import { issueCredential } from '../../access/tokens/secrets.ts';
import type { Merchant } from '../../domain/account.ts';
import { accept } from '../../domain/outcome.ts';
import {
  DEFAULT_RETURN_SHIPPING_METHOD,
  DEFAULT_TIME_TO_RETURN_DAYS,
  RETURN_SHIPPING_METHODS,
  TIME_TO_RETURN_DAYS_MAX,
} from '../../domain/vocabulary/shipping-methods.ts';
import { addMerchant, renameMerchant, setMerchantSuspended } from '../../operations/setup/change-merchant.ts';
import { setMerchantReturns } from '../../operations/setup/merchant-returns.ts';
import { type CliCommand, collect, wholeNumber } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { counted, table } from '../table.ts';
import { credentialLines } from './keys.ts';
import { addMerchantRemoveCommand } from './merchant-removal.ts';
import { changeSetup, helpNames, NOTICE, readSetup } from './setup-session.ts';

interface RenameOptions extends OutputOptions {
  readonly name: string;
}

interface SetOptions extends OutputOptions {
  readonly timeToReturn: number;
  readonly returnMethod: readonly string[];
}

type AddOptions = RenameOptions & Partial<SetOptions>;

export function addMerchantCommands(program: CliCommand, shell: Shell): void {
  const merchant = program.command('merchant').description('Add, change, list, suspend and remove merchants.');
  const names = helpNames(shell);
  const methods = RETURN_SHIPPING_METHODS.map((method) => names.method(method)).join(', ');
  const timeToReturn = ['--time-to-return <days>', `return window in days, 1 to ${TIME_TO_RETURN_DAYS_MAX}`] as const;
  const returnMethod = [
    '--return-method <method>',
    `how a product can be returned: ${methods}; repeat for several`,
  ] as const;

  merchant
    .command('add')
    .description('Add a merchant with keys for each environment, and show the secrets once.')
    .argument('<merchant-id>', 'lower-case letters, digits and hyphens, a letter first')
    .requiredOption('--name <text>', 'name of the merchant')
    .option(timeToReturn[0], `${timeToReturn[1]} (default: ${DEFAULT_TIME_TO_RETURN_DAYS})`, wholeNumber())
    .option(returnMethod[0], `${returnMethod[1]} (default: ${names.method(DEFAULT_RETURN_SHIPPING_METHOD)})`, collect)
    .action((merchantId: string, options: AddOptions) => add(shell, merchantId, options))
    .examples(
      'merchant add acme --name "Acme Inc."',
      'merchant add acme --name "Acme Inc." --time-to-return 14 --return-method Freight',
    );

  merchant
    .command('set')
    .description("Replace a merchant's return settings, in both environments.")
    .argument('<merchant-id>', 'id of the merchant')
    .requiredOption(...timeToReturn, wholeNumber())
    .requiredOption(...returnMethod, collect)
    .action((merchantId: string, options: SetOptions) => set(shell, merchantId, options))
    .examples('merchant set acme --time-to-return 14 --return-method Freight');

  merchant
    .command('rename')
    .description("Change a merchant's name. The id never changes.")
    .argument('<merchant-id>', 'id of the merchant')
    .requiredOption('--name <text>', 'new name of the merchant')
    .action((merchantId: string, options: RenameOptions) => rename(shell, merchantId, options))
    .examples('merchant rename acme --name "Acme Stores"');

  merchant
    .command('list')
    .description('List the merchants.')
    .action((options: OutputOptions) => list(shell, options))
    .examples('merchant list', 'merchant list --json');

  merchant
    .command('suspend')
    .description(
      'Suspend a merchant: its API calls and its changes in the portal are refused; nothing is deleted. ' +
        '"merchant resume" ends the suspension.',
    )
    .argument('<merchant-id>', 'id of the merchant')
    .action((merchantId: string, options: OutputOptions) => suspend(shell, merchantId, true, options))
    .examples('merchant suspend acme');

  merchant
    .command('resume')
    .description('Resume a suspended merchant; its keys and tokens work as before.')
    .argument('<merchant-id>', 'id of the merchant')
    .action((merchantId: string, options: OutputOptions) => suspend(shell, merchantId, false, options))
    .examples('merchant resume acme');

  addMerchantRemoveCommand(merchant, shell);
}

async function add(shell: Shell, merchantId: string, options: AddOptions): Promise<void> {
  const sent = {
    merchant_id: merchantId,
    name: options.name,
    time_to_return: options.timeToReturn,
    return_shipping_methods: options.returnMethod,
  };
  const test = issueCredential('test');
  const live = issueCredential('live');
  const { value, names } = await changeSetup(shell, sent, (context, body) =>
    addMerchant(context, body, { test: test.stored, live: live.stored }),
  );
  print(shell, options, {
    json: {
      merchant_id: value.merchantId,
      name: value.name,
      time_to_return: value.timeToReturnDays,
      return_shipping_methods: value.returnShippingMethods.map((method) => names.method(method)),
      credentials: {
        test: { user: test.user, secret: test.secret },
        live: { user: live.user, secret: live.secret },
      },
    },
    lines: [
      `Merchant ${value.merchantId} was added. Its keys:`,
      '',
      ...credentialLines([
        ['test', test],
        ['live', live],
      ]),
    ],
  });
}

async function set(shell: Shell, merchantId: string, options: SetOptions): Promise<void> {
  const sent = { time_to_return_days: options.timeToReturn, return_shipping_methods: options.returnMethod };
  const { value, names } = await changeSetup(shell, sent, (context, body) =>
    setMerchantReturns(context, merchantId, body),
  );
  const methods = value.returnShippingMethods.map((method) => names.method(method));
  print(shell, options, {
    json: { merchant_id: merchantId, time_to_return: value.timeToReturnDays, return_shipping_methods: methods },
    lines: [
      `The return settings of merchant ${merchantId} were changed.`,
      `Products can be returned within ${counted(value.timeToReturnDays, 'day')} by ${methods.join(', ')}. ${NOTICE}`,
    ],
  });
}

async function rename(shell: Shell, merchantId: string, options: RenameOptions): Promise<void> {
  const { name } = options;
  await changeSetup(shell, { name }, (context, body) => renameMerchant(context, merchantId, body));
  print(shell, options, {
    json: { merchant_id: merchantId, name },
    lines: [`Merchant ${merchantId} was renamed to ${name}. ${NOTICE}`],
  });
}

function stateOf({ suspended, unfinished }: Pick<Merchant, 'suspended' | 'unfinished'>): string {
  if (unfinished !== null) return `${unfinished} unfinished`;
  return suspended ? 'suspended' : 'active';
}

async function list(shell: Shell, options: OutputOptions): Promise<void> {
  const { value: merchants } = await readSetup(shell, async ({ store }) =>
    accept(await store.settings.listMerchants()),
  );
  const shown = merchants.map(({ merchantId, name, suspended, unfinished, createdMs }) => ({
    merchant_id: merchantId,
    name,
    suspended,
    unfinished,
    created: new Date(createdMs).toISOString(),
  }));
  const rows = shown.map((merchant) => [merchant.merchant_id, merchant.name, stateOf(merchant), merchant.created]);
  print(shell, options, {
    json: { merchants: shown },
    lines: table(['MERCHANT', 'NAME', 'STATE', 'CREATED'], rows, 'There are no merchants.'),
  });
}

async function suspend(shell: Shell, merchantId: string, suspended: boolean, options: OutputOptions): Promise<void> {
  await changeSetup(shell, {}, (context) => setMerchantSuspended(context, merchantId, suspended));
  const done = suspended ? 'suspended' : 'resumed';
  print(shell, options, {
    json: { merchant_id: merchantId, suspended },
    lines: [`Merchant ${merchantId} was ${done}. ${NOTICE}`],
  });
}
