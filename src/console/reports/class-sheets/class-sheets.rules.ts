import { assert } from '../../../platform/assert.ts'
import { nameKey } from '../../../platform/names.ts'
import { sumPaise, type Paise } from '../../../platform/money.ts'

/** A section is empty in classes that have none. */
export type ClassKey = { collectorCode: string; grade: string; section: string }

export type LateChild = ClassKey & {
  studentId: string
  fullname: string
  identifier: string
  contactName: string
  contactNumber: string
  /** All that is overdue, late fees included. */
  owedPaise: Paise
  /** Paid already, but not yet confirmed. */
  onTheWayPaise: Paise
  oldestDueOn: string | null
}

export type ClassSheet = ClassKey & { children: LateChild[]; owedPaise: Paise; onTheWayPaise: Paise }

/** A key that is the same for the same class, however its name was typed. */
export function classKey({ collectorCode, grade, section }: ClassKey): string {
  return JSON.stringify([collectorCode, nameKey(grade), nameKey(section)])
}

/** A sheet for each class, its children by name: a child that owes in two years stands there once, with the sum. */
export function sheetsOf(late: readonly LateChild[]): ClassSheet[] {
  const classes = Map.groupBy(late, classKey)
  return [...classes.values()].map(rows => {
    const children = [...Map.groupBy(rows, row => row.identifier).values()].map(inOne)
    const [{ collectorCode, grade, section } = { collectorCode: '', grade: '', section: '' }] = rows
    return {
      collectorCode,
      grade,
      section,
      children: children.toSorted((one, other) => BY_NAME.compare(one.fullname, other.fullname)),
      owedPaise: sumPaise(children.map(child => child.owedPaise)),
      onTheWayPaise: sumPaise(children.map(child => child.onTheWayPaise)),
    }
  })
}

const BY_NAME = new Intl.Collator('en', { numeric: true })

function inOne(records: readonly LateChild[]): LateChild {
  const [newest] = records
  assert(newest !== undefined, 'a group has a record')
  const days = records.flatMap(({ oldestDueOn }) => oldestDueOn ?? [])
  return {
    ...newest,
    owedPaise: sumPaise(records.map(record => record.owedPaise)),
    onTheWayPaise: sumPaise(records.map(record => record.onTheWayPaise)),
    oldestDueOn: days.toSorted()[0] ?? null,
  }
}

const MAILED = 'class-sheet?'

/** What a mail names as its file; it is made when the mail leaves. */
export function attachmentName({ collectorCode, grade, section }: ClassKey): string {
  return MAILED + new URLSearchParams({ collectorCode, grade, section }).toString()
}

export function readAttachmentName(attachment: string): ClassKey | null {
  if (!attachment.startsWith(MAILED)) return null
  const of = new URLSearchParams(attachment.slice(MAILED.length))
  const [collectorCode, grade, section] = [of.get('collectorCode'), of.get('grade'), of.get('section')]
  return collectorCode === null || grade === null || section === null
    ? null
    : { collectorCode, grade, section }
}

const MOST_OF_NAME = 31

/** Names of sheets in a spreadsheet are short, have no signs of formulas, and differ without case. */
export function sheetNames(titles: readonly string[]): string[] {
  const taken = new Set<string>()
  return titles.map(title => {
    const plain = title.replaceAll(/[[\]:*?/\\']/g, ' ').trim() || 'Class'
    for (let number = 1; ; number += 1) {
      const end = number === 1 ? '' : ` ${number}`
      const name = plain.slice(0, MOST_OF_NAME - end.length) + end
      if (taken.has(name.toLowerCase())) continue
      taken.add(name.toLowerCase())
      return name
    }
  })
}
