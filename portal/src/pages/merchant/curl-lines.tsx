/** In charge of ready lines for a terminal, with the merchant's own values in them. */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Environment } from '../../api/session.ts';
import { nodesQuery } from '../../api/setup.ts';
import { CopyValue } from '../../ui/copy-value.tsx';

interface CurlLinesProps {
  readonly environment: Environment;
  readonly apiUrl: string;
  readonly user: string | undefined;
}

export function CurlLines({ environment, apiUrl, user = '<user>' }: CurlLinesProps) {
  const nodes = useQuery(nodesQuery(environment));
  const node = nodes.data?.fulfillment_nodes[0]?.fulfillment_node_id ?? '<fulfillment node>';
  return (
    <Stack>
      {linesFor(apiUrl, user, node).map(({ what, line }) => (
        <Stack key={what} gap={4}>
          <Text size="sm" fw={600}>
            {what}
          </Text>
          <CopyValue value={line} label={`the line: ${what}`} />
        </Stack>
      ))}
    </Stack>
  );
}

function linesFor(apiUrl: string, user: string, node: string): readonly { what: string; line: string }[] {
  const sku = `${apiUrl}/merchant-skus/first-sku`;
  const put = (url: string, body: object, method = 'PUT') =>
    [
      `curl -X ${method} ${quoted(url)} -H "Authorization: Bearer $TOKEN" \\`,
      `  -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`,
    ].join('\n');
  return [
    {
      what: 'Ask for a token',
      line: [
        `TOKEN=$(curl -s ${quoted(`${apiUrl}/token`)} -H 'Content-Type: application/json' \\`,
        `  -d "{\\"user\\": \\"${user}\\", \\"pass\\": \\"$OFFERBOOK_PASS\\"}" | sed 's/.*"id_token": *"\\([^"]*\\)".*/\\1/')`,
      ].join('\n'),
    },
    {
      what: 'Upload an offer',
      line: put(sku, {
        product_title: 'Stoneware mug, 12 oz',
        brand: 'Potter & Sons',
        multipack_quantity: 1,
        standard_product_codes: [{ standard_product_code: '012345678905', standard_product_code_type: 'UPC' }],
        main_image_url: 'https://images.example/mug.jpg',
      }),
    },
    { what: 'Set its price', line: put(`${sku}/price`, { price: 12.5 }) },
    {
      what: 'Set its inventory',
      line: put(`${sku}/inventory`, { fulfillment_nodes: [{ fulfillment_node_id: node, quantity: 25 }] }, 'PATCH'),
    },
    {
      what: 'Read why it is or is not live',
      line: `curl ${quoted(`${sku}/review`)} -H "Authorization: Bearer $TOKEN"`,
    },
  ];
}

/** For a shell: what is inside single quotes is taken as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
