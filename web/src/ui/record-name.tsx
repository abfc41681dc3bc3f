/** Names by the prefix of an id. */
const NAMES: Readonly<Record<string, string>> = {
  order: 'Order',
  student: 'Student',
  wh: 'Webhook',
  evt: 'Event',
  dlv: 'Delivery',
  msg: 'Message',
  pay: 'Payment',
  rfd: 'Refund',
  stl: 'Settlement',
  plan: 'Instalment plan',
  inst: 'Instalment',
  mdt: 'Mandate',
  loan: 'Loan',
  page: 'Payment page',
  imp: 'Import',
  batch: 'Payment link file',
  staff: 'Person',
  sess: 'Session',
  invite: 'Invitation',
  key: 'API key',
  acct: 'Bank account',
  dep: 'Deposit',
  stmt: 'Bank statement',
  line: 'Line of a bank statement',
  report: 'Report by mail',
}

/** What an id belongs to, in words; the id itself is for developers and stands behind it. Others stay as they are. */
function nameOfRecord(id: string): string {
  const prefix = /^([a-z]+)_[0-9a-z_]{20,}$/.exec(id)?.[1]
  return (prefix === undefined ? undefined : NAMES[prefix]) ?? id
}

export function RecordName({ id }: { id: string }) {
  return <span title={id}>{nameOfRecord(id)}</span>
}
