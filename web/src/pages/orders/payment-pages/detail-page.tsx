import { readable } from '../../../ui/words.ts'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { PageAnswer } from '../../../../../src/payment-pages/page.schemas.ts'
import { useCommand } from '../../../api/command.ts'
import { get } from '../../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { Detail } from '../../../ui/detail.tsx'
import { formatCount, formatRupees } from '../../../ui/money.tsx'
import { AwaitedPage } from '../../../ui/page.tsx'
import { notify, notifyWithUndo } from '../../../ui/toasts.tsx'
import { When } from '../../../ui/when.tsx'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { Badge } from '../badge.tsx'
import { CopyButton } from '../../../ui/link/copy-button.tsx'
import { LinkButton } from '../../../ui/link/link-button.tsx'
import { OrdersTable } from '../orders-table.tsx'
import { QrDialogue } from '../qr-dialogue.tsx'
import { PAGE_LABELS } from '../texts.ts'

const TRAIL: readonly Crumb[] = [
  { label: 'Orders & links', to: '/i/$institute/orders' },
  { label: 'Payment pages', to: '/i/$institute/orders/pages' },
]

export function usePage(pageId: string) {
  const path = useInstitutePath()
  return useQuery({
    queryKey: ['page', path, pageId],
    queryFn: ({ signal }) =>
      get<PageAnswer>(`${path}/payment-pages/${encodeURIComponent(pageId)}`, {}, signal),
  })
}

export function PagePage() {
  const { page: pageId = '' } = useParams({ strict: false })
  const page = usePage(pageId)
  return (
    <>
      <Crumbs trail={TRAIL} />
      {page.isSuccess ? <Shown page={page.data} /> : <AwaitedPage kind="Payment page" query={page} />}
    </>
  )
}

function Shown({ page }: { page: PageAnswer }) {
  const { max_payments: most } = page
  return (
    <Detail
      title={page.title}
      status={<Badge of={page.status} labels={PAGE_LABELS} />}
      actions={<Actions page={page} />}
      fields={[
        {
          label: 'Address',
          value: (
            <a href={page.url} target="_blank" rel="noreferrer" className="mono">
              {page.url}
            </a>
          ),
        },
        {
          label: 'Paid',
          value:
            most === undefined
              ? formatCount(page.paid_count)
              : `${formatCount(page.paid_count)} of ${formatCount(most)}`,
        },
        { label: 'Closes', value: page.closes_at && <When at={page.closes_at} /> },
        { label: 'Branch', value: page.branch },
        { label: 'Made', value: <When at={page.created_at} /> },
        { label: 'Last changed', value: <When at={page.updated_at} /> },
        { label: 'What can be paid', value: page.details.map(lineText).join('; ') },
        { label: 'What is asked', value: ['name, phone, e-mail', ...page.fields.map(fieldText)].join(', ') },
        { label: 'Afterwards', value: page.success_message },
      ]}
    >
      <h2 className="section-title">Payments on this page</h2>
      <OrdersTable
        name="Payments on this page"
        query={{ page_id: page.page_id }}
        empty={{
          title: 'No payments on this page yet',
          description:
            'Share its address or QR code. Everybody who fills in the page is listed here, paid or not.',
        }}
      />
    </Detail>
  )
}

function lineText(line: PageAnswer['details'][number]): string {
  const { amount, min_amount: least, max_amount: most } = line
  const chosen = `from ${formatRupees(least ?? 1)}${most === undefined ? '' : ` to ${formatRupees(most)}`}`
  const price = amount === undefined ? chosen : formatRupees(amount)
  return `${line.label ?? readable(line.component_type)} ${price}${line.is_optional ? ' (optional)' : ''}`
}

function fieldText({ key, label, is_required: isRequired }: PageAnswer['fields'][number]): string {
  return `${label ?? key.replaceAll('_', ' ')}${isRequired ? '' : ' (optional)'}`
}

function Actions({ page }: { page: PageAnswer }) {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const mayAct = useMay('owner', 'finance')
  const [action, setAction] = useState<'qr' | 'unpublish' | null>(null)
  const change = useCommand<{ is_published: boolean; reason?: string }>({
    method: 'PATCH',
    path: `${path}/payment-pages/${page.page_id}`,
    refreshes: ['page', 'pages', 'orders', 'audit'],
    onDone(_, { is_published: isPublished }) {
      if (isPublished) notify('The page takes payments.')
      else notifyWithUndo('The page no longer takes payments.', () => change.mutate({ is_published: true }))
      setAction(null)
    },
  })
  return (
    <>
      <CopyButton text={page.url}>Copy address</CopyButton>
      <Button variant="default" onClick={() => setAction('qr')}>
        QR code
      </Button>
      {mayAct && (
        <LinkButton
          variant="default"
          to="/i/$institute/orders/pages/$page/edit"
          params={{ institute, page: page.page_id }}
          search={{}}
        >
          Edit
        </LinkButton>
      )}
      {mayAct && page.is_published && (
        <Button variant="default" onClick={() => setAction('unpublish')}>
          Unpublish
        </Button>
      )}
      {mayAct && !page.is_published && (
        <Button loading={change.isPending} onClick={() => change.mutate({ is_published: true })}>
          Publish
        </Button>
      )}
      {action === 'qr' && (
        <QrDialogue
          path={`${path}/payment-pages/${page.page_id}/qr`}
          url={page.url}
          name={page.slug}
          onClose={() => setAction(null)}
        />
      )}
      <ConfirmWithReason
        isOpen={action === 'unpublish'}
        onClose={() => setAction(null)}
        title="Take this page off?"
        description="The page will say that it takes no payments, and people who filled it in without paying can no longer pay. A payment in progress still counts. You can publish it again."
        verb="Unpublish the page"
        isDangerous
        isBusy={change.isPending}
        error={change.error}
        onConfirm={reason => change.mutate({ is_published: false, reason })}
      />
    </>
  )
}
