/** What operators note about a merchant. */
import { Button, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { LIMITS } from '#domain/limits.ts';
import { api, ask } from '../../../api/client.ts';
import { MutationForm } from '../../../ui/forms/mutation-form.tsx';
import { useFormMutation } from '../../../ui/forms/use-form-mutation.ts';
import { Panel } from '../../../ui/panel.tsx';

interface NoteProps {
  readonly merchantId: string;
  readonly note: string;
}

export function MerchantNote({ merchantId, note }: NoteProps) {
  const [isEditing, { open, close }] = useDisclosure();
  return (
    <Panel
      title="Notes"
      about="Operators see them, merchants don't. Changes are in the activity log."
      actions={
        !isEditing && (
          <Button variant="light" onClick={open} aria-label={note === '' ? 'Add note' : 'Edit note'}>
            {note === '' ? 'Add' : 'Edit'}
          </Button>
        )
      }
    >
      {isEditing ? (
        <NoteForm merchantId={merchantId} note={note} close={close} />
      ) : note === '' ? (
        <Text size="sm">No notes yet.</Text>
      ) : (
        <Text className="anywhere" style={{ whiteSpace: 'pre-wrap' }}>
          {note}
        </Text>
      )}
    </Panel>
  );
}

function NoteForm({ merchantId, note, close }: NoteProps & { readonly close: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { note } });
  const saving = useFormMutation({
    form,
    fields: ['note'],
    mutationFn: (body: typeof form.values) =>
      ask(api.PUT('/merchants/{merchant_id}/note', { params: { path: { merchant_id: merchantId } }, body })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['merchants', merchantId] });
      close();
    },
  });
  return (
    <MutationForm form={form} sending={saving} action="Save" close={close}>
      <Textarea
        label="Note"
        autosize
        minRows={3}
        maxRows={12}
        maxLength={LIMITS.merchant_note_characters_max}
        data-autofocus
        {...form.getInputProps('note')}
      />
    </MutationForm>
  );
}
