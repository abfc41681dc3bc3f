import { deliveryLink } from '../../src/webhooks/delivery-log/deliveries.service.ts'
import { daysAgo } from '../console/money/support.ts'
import type { TestBursar } from '../harness/bursar.ts'
import { code, FILE, mail, text, type Planted } from './attacks-support.ts'

/** Every page on which something stands that a stranger wrote. */
export const I = '/console/i/demo-school'
export const ADMISSION = text('Admission')

/** A page, and texts of strangers that must stand on it as they were written. */
export type Tour = readonly (readonly [path: string, ...texts: string[]])[]

export function consolePages(planted: Planted): Tour {
  const { student, order, failed, cancelled, page, file, plan, day, settlement } = planted
  const range = `from=${daysAgo(1)}&to=${daysAgo(-45)}`
  return [
    [I],
    [`${I}/students`, text('Student'), ADMISSION, code('Grade'), text('Contact'), text('Sibling')],
    [`${I}/students?q=${encodeURIComponent(text('Nobody'))}`, `No student matches “${text('Nobody')}”`],
    [
      `${I}/students/${student}`,
      ...['Student', 'Admission', 'Contact'].map(text),
      ...['Fee', 'Discount'].map(code),
    ],
    [`${I}/students/${student}?tab=payments`, text('Transaction'), code('Mode').replaceAll('_', ' ')],
    [`${I}/students/${student}?tab=plan`],
    [`${I}/students/${student}?tab=family`, text('Second'), text('User'), text('Sibling'), mail('Contact')],
    [`${I}/students/${student}?tab=messages`],
    [`${I}/students/${student}?tab=story`, ...['Refusal', 'Person', 'Waiver', 'Hold'].map(text)],
    [`${I}/orders`, text('OrderPayer'), text('OrderChild'), text('OrderIdentifier'), text('Guest')],
    [
      `${I}/orders/${order}`,
      ...['Payer', 'Child', 'Identifier', 'Stream', 'Second', 'Note'].map(field => text(`Order${field}`)),
      ...['Bank', 'Refund', 'Settled'].map(text),
      ...['OrderGrade', 'OrderFee', 'Code'].map(code),
      mail('Order'),
      `Note “${text('OrderKey')}”`,
    ],
    [`${I}/orders/${failed}`, text('LinkPayer'), text('Bank')],
    [`${I}/orders/${cancelled}`, text('CancelledPayer'), text('Cancel'), mail('Cancelled'), text('Person')],
    [`${I}/orders/pages`, text('Page')],
    [
      `${I}/orders/pages/${page.id}`,
      text('Page'),
      text('Label'),
      text('House'),
      text('Thanks'),
      text('Guest'),
    ],
    [`${I}/orders/pages/${page.id}/edit`],
    [`${I}/orders/new`],
    [`${I}/orders/files`, FILE, text('Person')],
    [`${I}/orders/files/${file}`, FILE],
    [`${I}/flex`],
    [`${I}/flex/coming`],
    [`${I}/flex/returns`],
    [`${I}/flex/debits?${range}`, text('Student'), text('Refusal')],
    [`${I}/flex/days/${day}`, text('Student'), text('Refusal')],
    [`${I}/flex/plans`, text('Student'), ADMISSION, code('Grade')],
    [`${I}/flex/plans/${plan}`, text('Student'), ADMISSION, text('Contact'), text('Refusal'), text('Hold')],
    [`${I}/flex/erp`, text('Student'), text('Refusal'), code('ErpCode')],
    [`${I}/flex/settings`],
    [`${I}/money?view=collection&${range}`, code('OrderFee')],
    [`${I}/money?view=payments`, text('OrderChild'), code('OrderFee'), text('Student')],
    [`${I}/money?view=settlements`, text('Settled')],
    [`${I}/money/settlements/${settlement}`, text('Settled'), text('OrderPayer'), code('OrderFee')],
    [`${I}/money?view=expected`],
    [`${I}/money?view=reconciliation`, text('Problem'), text('ProblemRef'), text('ProblemUtr')],
    [`${I}/money?view=dues`, text('Student'), code('Fee')],
    [`${I}/money?view=receipts`, text('OrderPayer')],
    [`${I}/money?view=ledger`],
    [`${I}/developers/keys`],
    [`${I}/developers/webhooks`, 'Hook"><img/src=x/onerror=window.__ran=1>'],
    [`${I}/developers/deliveries`],
    [`${I}/developers/events`],
    [`${I}/developers/requests`],
    [`${I}/developers/erp`, text('Student'), text('Refusal')],
    [`${I}/developers/sandbox`],
    [`${I}/settings/team`, text('Person')],
    [`${I}/settings/audit`, text('Person'), text('Cancel'), text('Hold')],
    [`${I}/settings/audit?what=${encodeURIComponent(code('Filter'))}`, code('Filter')],
    ['/console/account', text('Person')],
    ['/console/operator/institutes'],
    ['/console/operator/jobs?kind=delivery', 'Hook"><img/src=x/onerror=window.__ran=1>'],
    ['/console/operator/jobs?kind=message', text('Smtp')],
    ['/console/operator/jobs?kind=import', text('Import')],
    ['/console/operator/health'],
    ['/console/operator/holidays'],
    ['/console/operator/providers'],
    ['/console/operator/audit'],
  ]
}

export function parentPages({ app }: TestBursar, planted: Planted): Tour {
  const { student, sibling, plan, order, failed, cancelled, delivery } = planted
  const child = `/parents/students/${student}`
  const { pathname, search } = new URL(deliveryLink(app.ctx, 'demo-school', delivery))
  return [
    ['/parents', text('Student'), text('Sibling'), text('User'), code('Grade')],
    [child, text('Student'), code('Fee'), code('Discount')],
    [`${child}/plan`, text('Student')],
    [`${child}/plan/cancel`, text('Student')],
    ['/parents/history', text('Student'), text('Transaction')],
    [`/parents/students/${sibling}/cred`, text('Sibling'), text('Lender')],
    [`/flex/demo-school/${plan}`, text('Student'), code('Fee')],
    [`/pay/demo-school/${order}`, text('OrderChild'), code('OrderFee')],
    [`/pay/demo-school/${failed}`, text('LinkChild'), text('Bank')],
    [`/pay/demo-school/${cancelled}`, text('CancelledChild')],
    ['/p/demo-school/attacked', text('Page'), text('About'), text('Label'), text('House')],
    ['/sandbox/mailbox', mail('Watch'), text('CancelledChild')],
    [`/sandbox/mailbox?to=${encodeURIComponent(text('Nobody'))}`, `No message to “${text('Nobody')}”`],
    [pathname + search],
  ]
}
