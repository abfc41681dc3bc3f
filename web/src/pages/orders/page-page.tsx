import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { PageAnswer } from '../../../../src/console/orders/pages.schemas.ts'
import { useAct } from '../../api/act.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/confirm-with-reason.tsx'
import { Detail } from '../../ui/detail.tsx'
import { formatCount, formatRupees } from '../../ui/money.tsx'
import { AwaitedPage } from '../../ui/page.tsx'
import { say } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { BackLink } from './back-link.tsx'
import { Badge } from './badge.tsx'
import { CopyButton } from './copy-button.tsx'
import { LinkButton } from './link-button.tsx'
import { OrdersTable } from './orders-table.tsx'
import { QrDialogue } from './qr-dialogue.tsx'
import { PAGE_WORDS } from './words.ts'

export function usePage(pageId: string) {
  const path = useInstitutePath()
  return useQuery({
    queryKey: ['page', path, pageId],
    queryFn: ({ signal }) =>
      get<PageAnswer>(`${path}/payment-pages/${encodeURIComponent(pageId)}`, {}, signal),
  })
}

/** One public page, and what was paid on it. */
export function PagePage() {
  const { page: pageId = '' } = useParams({ strict: false })
  const { code: institute } = useInstitute()
  const page = usePage(pageId)
  return (
    <>
      <BackLink to="/i/$institute/orders/pages" params={{ institute }} search={{}}>
        Payment pages
      </BackLink>
      {page.isSuccess ? <Shown page={page.data} /> : <AwaitedPage kind="Payment page" query={page} />}
    </>
  )
}

function Shown({ page }: { page: PageAnswer }) {
  const { max_payments: most } = page
  return (
    <Detail
      title={page.title}
      status={<Badge of={page.status} words={PAGE_WORDS} />}
      actions={<Actions page={page} />}
      facts={[
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
          title: 'Nobody has filled it in yet',
          say: 'Share its address or QR code. Whoever fills the page in stands here, paid or not.',
        }}
      />
    </Detail>
  )
}

function lineText(line: PageAnswer['details'][number]): string {
  const { amount, min_amount: least, max_amount: most } = line
  const chosen = `from ${formatRupees(least ?? 1)}${most === undefined ? '' : ` to ${formatRupees(most)}`}`
  const price = amount === undefined ? chosen : formatRupees(amount)
  return `${line.label ?? line.component_type} ${price}${line.is_optional ? ' (optional)' : ''}`
}

function fieldText({ key, label, is_required: isRequired }: PageAnswer['fields'][number]): string {
  return `${label ?? key.replaceAll('_', ' ')}${isRequired ? '' : ' (optional)'}`
}

function Actions({ page }: { page: PageAnswer }) {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const mayAct = useMay('owner', 'finance')
  const [act, setAct] = useState<'qr' | 'take-off' | null>(null)
  const change = useAct<{ is_published: boolean; reason?: string }>({
    method: 'PATCH',
    path: `${path}/payment-pages/${page.page_id}`,
    refreshes: ['page', 'pages', 'orders', 'audit'],
    onDone(_, { is_published: isPublished }) {
      say(isPublished ? 'The page takes payments.' : 'The page takes no payments any more.')
      setAct(null)
    },
  })
  return (
    <>
      <CopyButton text={page.url}>Copy address</CopyButton>
      <Button variant="default" onClick={() => setAct('qr')}>
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
        <Button variant="default" onClick={() => setAct('take-off')}>
          Take off
        </Button>
      )}
      {mayAct && !page.is_published && (
        <Button loading={change.isPending} onClick={() => change.mutate({ is_published: true })}>
          Publish
        </Button>
      )}
      {act === 'qr' && (
        <QrDialogue
          path={`${path}/payment-pages/${page.page_id}/qr`}
          url={page.url}
          name={page.slug}
          onClose={() => setAct(null)}
        />
      )}
      <ConfirmWithReason
        isOpen={act === 'take-off'}
        onClose={() => setAct(null)}
        title="Take this page off?"
        say="Whoever opens its address reads that it takes no payments, and those who filled it in without paying cannot pay any more. A payment on its way still counts. You can publish it again."
        verb="Take it off"
        isGrave
        isBusy={change.isPending}
        error={change.error}
        onConfirm={reason => change.mutate({ is_published: false, reason })}
      />
    </>
  )
}
