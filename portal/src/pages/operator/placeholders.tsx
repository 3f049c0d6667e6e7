/** The page of placeholder images: those that stand for a missing image and are not taken for one. */
import { Button, Code, FileInput, Group, Stack, Table, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../../api/client.ts';
import { fileBody } from '../../api/send-file.ts';
import { ActionsHead } from '../../ui/actions-head.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty, Failed } from '../../ui/states.tsx';

export function PlaceholdersPage() {
  const placeholders = useQuery({ queryKey: ['placeholders'], queryFn: () => ask(api.GET('/placeholders')) });
  return (
    <Page
      title="Placeholder images"
      about="Offers that show one of these, or one much like it, have no image in the eyes of the review. Some are known without being listed."
    >
      <Panel title="Add one">
        <AddPlaceholder />
      </Panel>
      <Panel title="Added by operators">
        <QueryView query={placeholders} what="list of placeholders">
          {({ placeholders: shown }) =>
            shown.length === 0 ? <Empty title="None were added" /> : <PlaceholderTable placeholders={shown} />
          }
        </QueryView>
      </Panel>
    </Page>
  );
}

function AddPlaceholder() {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { image: null as File | null, note: '' },
    validate: { image: (image) => (image === null ? 'Choose an image.' : null) },
  });
  const adding = useMutation({
    mutationFn: ({ image, note }: { image: File; note: string }) =>
      ask(api.POST('/placeholders', { params: { query: { note } }, ...fileBody(image) })),
    onSuccess: async () => {
      form.reset();
      await queryClient.invalidateQueries({ queryKey: ['placeholders'] });
    },
  });
  return (
    <form
      onSubmit={form.onSubmit(({ image, note }) => {
        if (image !== null) adding.mutate({ image, note });
      })}
    >
      <Stack maw={480}>
        {adding.isError && <Failed error={adding.error} />}
        <FileInput
          label="Image"
          accept="image/jpeg,image/png"
          placeholder="Choose an image"
          required
          clearable
          {...form.getInputProps('image')}
        />
        <TextInput label="Note" description="Where it comes from." required {...form.getInputProps('note')} />
        <Group>
          <Button type="submit" loading={adding.isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Placeholder {
  readonly hash: string;
  readonly note: string;
}

function PlaceholderTable({ placeholders }: { readonly placeholders: readonly Placeholder[] }) {
  const queryClient = useQueryClient();
  const [leaving, setLeaving] = useState<Placeholder>();
  const removing = useMutation({
    mutationFn: (hash: string) => ask(api.DELETE('/placeholders/{hash}', { params: { path: { hash } } })),
    onSuccess: async () => {
      setLeaving(undefined);
      await queryClient.invalidateQueries({ queryKey: ['placeholders'] });
    },
  });
  return (
    <>
      <Confirm
        isOpen={leaving !== undefined}
        close={() => setLeaving(undefined)}
        title="Remove the placeholder"
        action="Remove"
        isPending={removing.isPending}
        error={removing.error}
        confirm={() => leaving && removing.mutate(leaving.hash)}
      >
        {leaving && `${leaving.note}: offers that show it are reviewed again, as having an image.`}
      </Confirm>
      <Table.ScrollContainer minWidth={560}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Hash</Table.Th>
              <Table.Th>Note</Table.Th>
              <ActionsHead />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {placeholders.map((placeholder) => (
              <Table.Tr key={placeholder.hash}>
                <Table.Td>
                  <Code>{placeholder.hash}</Code>
                </Table.Td>
                <Table.Td>{placeholder.note}</Table.Td>
                <Table.Td ta="right">
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    aria-label={`Remove ${placeholder.hash}`}
                    onClick={() => {
                      removing.reset();
                      setLeaving(placeholder);
                    }}
                  >
                    Remove
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}
