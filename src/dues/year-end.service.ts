import { readLocked } from '../orders/order-payments.service.ts'
import { cancelLocked } from '../orders/orders.service.ts'
import { listPayable } from '../orders/student-orders.service.ts'
import { dayOf } from '../platform/calendar.ts'
import type { YearEnd } from '../students/rollover/rollover.service.ts'
import { readDueParts } from './dues.service.ts'

/** What dues and their orders have to do with the end of an academic year. */
export const duesAtYearEnd: Omit<YearEnd, 'readUnsettled'> = {
  readDueParts(tx, { instituteId, studentIds, now }) {
    const keys = studentIds.map(studentId => ({ instituteId, studentId }))
    return readDueParts(tx, keys, dayOf(now))
  },
  async closeOrders(tx, { instituteId, carried, now }) {
    const open = await listPayable(tx, instituteId, [...carried.keys()], now)
    const gone = open.flatMap(({ id, kind, studentId, lines }) => {
      const types = carried.get(studentId ?? '') ?? []
      const isGone = kind === 'student' || lines.some(({ componentType }) => types.includes(componentType))
      return isGone ? [id] : []
    })
    const held = await readLocked(tx, instituteId, gone)
    const unpaid = held.filter(({ state }) => state === 'unpaid')
    await cancelLocked(tx, instituteId, unpaid, now)
  },
}
