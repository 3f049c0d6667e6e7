/** Curl commands to copy, filled in with the merchant's own values. */

import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { nodesQuery } from '../../api/account-settings.ts';
import { categoriesQuery } from '../../api/categories.ts';
import { stringifyExact } from '../../api/exact-json.ts';
import { type Environment, useSession } from '../../api/session.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { curlCommand, quoted } from './curl.ts';

interface CurlCommandsProps {
  readonly environment: Environment;
  readonly apiUrl: string;
  readonly user: string;
}

export function CurlCommands({ environment, apiUrl, user }: CurlCommandsProps) {
  const { demo, names } = useSession();
  const nodes = useQuery(nodesQuery(environment));
  const categories = useQuery(categoriesQuery(environment, 'dinnerware'));
  const node = nodes.data?.fulfillment_nodes[0]?.fulfillment_node_id;
  const category = categories.data?.[0]?.id;
  const mug = {
    ...MUG,
    main_image_url: (demo && demoImage(apiUrl)) || 'https://images.example/mug.jpg',
    ...(category === undefined ? {} : { [`${names.marketplace}_browse_node_id`]: BigInt(category) }),
  };
  return (
    <Stack>
      {commandsFor(apiUrl, user, mug, node).map(({ what, command }) => (
        <Stack key={what} gap={4}>
          <Text size="sm" fw={600}>
            {what}
          </Text>
          <CopyValue value={command} label={`command: ${what}`} />
        </Stack>
      ))}
    </Stack>
  );
}

const MUG = Object.freeze({
  product_title: 'Stoneware mug, 12 oz',
  brand: 'Potter & Sons',
  multipack_quantity: 1,
  standard_product_codes: [{ standard_product_code: '012345678905', standard_product_code_type: 'UPC' }],
});

/** The demo serves images on the port after the API's port, on loopback only. */
function demoImage(apiUrl: string): string | undefined {
  const { hostname, port } = new URL(apiUrl);
  return hostname === '127.0.0.1' && port !== '' ? `http://127.0.0.1:${Number(port) + 1}/mug.jpg` : undefined;
}

/** Every command works as copied, so the inventory command is left out if the merchant has no location. */
function commandsFor(
  apiUrl: string,
  user: string,
  mug: object,
  node: string | undefined,
): readonly { what: string; command: string }[] {
  const sku = `${apiUrl}/merchant-skus/first-sku`;
  const put = (url: string, body: object, method = 'PUT') => curlCommand(method, url, stringifyExact(body));
  return [
    { what: `Enter the secret of ${user}`, command: 'read -rs OFFERBOOK_PASS' },
    {
      what: 'Get a token',
      command: [
        `TOKEN=$(curl -s ${quoted(`${apiUrl}/token`)} -H 'Content-Type: application/json' \\`,
        `  -d "{\\"user\\": \\"${user}\\", \\"pass\\": \\"$OFFERBOOK_PASS\\"}" | sed 's/.*"id_token": *"\\([^"]*\\)".*/\\1/')`,
      ].join('\n'),
    },
    {
      what: 'Upload an offer',
      command: put(sku, mug),
    },
    { what: 'Set its price', command: put(`${sku}/price`, { price: 12.5 }) },
    ...(node === undefined
      ? []
      : [{ what: 'Set its inventory', command: put(`${sku}/inventory`, stockAt(node), 'PATCH') }]),
    {
      what: 'Read its review',
      command: curlCommand('GET', `${sku}/review`),
    },
  ];
}

function stockAt(node: string): object {
  return { fulfillment_nodes: [{ fulfillment_node_id: node, quantity: 25 }] };
}
