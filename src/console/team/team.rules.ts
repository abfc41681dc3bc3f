import { conflict, notFound } from '../../platform/errors.ts'
import type { Role } from '../console.rules.ts'

type Colleague = { userId: string; email: string; role: Role; isDisabled: boolean }

/** The member that is to change; an institute always keeps somebody who can let others in. */
export function changeable(members: readonly Colleague[], userId: string, after: Role | null): Colleague {
  const member = members.find(one => one.userId === userId)
  if (member === undefined) throw notFound('This member')
  const isOwnerLeft = members.some(
    one => one.role === 'owner' && !one.isDisabled && (one.userId !== userId || after === 'owner'),
  )
  if (member.role === 'owner' && !isOwnerLeft)
    throw conflict('This is the last owner. Make somebody else an owner first.')
  return member
}
