/**
 * `admin` and `approvals` as they were read → settings. Neighbours: `shape-approvals.ts` reads them, `load.ts` puts
 * them into the whole.
 */
import * as defaults from './defaults.ts'
import type { Reading } from './field.ts'
import type { AdminSettings, ApprovalSettings } from './settings.ts'
import type { RawConfig } from './shape.ts'
import { MINUTE } from './shape-upstream.ts'

/** The official SDKs and their users' proxies give up at ten minutes, whatever arrives meanwhile. */
const LONG = 9 * MINUTE

export function toAdmin({ values }: RawConfig): AdminSettings {
  const { token, url } = values.admin?.values ?? {}
  return { token: token?.text, url: url === undefined ? undefined : bare(url) }
}

export function toApprovals({ values }: RawConfig, reading: Reading): ApprovalSettings {
  const { deadline, max, remember, webhooks } = values.approvals?.values ?? {}
  const place = values.approvals?.spots.deadline
  if (deadline !== undefined && deadline > LONG && place !== undefined)
    reading.notes.warning(
      place.node.place,
      place.path,
      'many clients give up after 10m, so that a later decision is of use only if they ask again',
    )
  return {
    deadline: deadline ?? defaults.APPROVALS.deadline,
    max: max ?? defaults.APPROVALS.max,
    remember: remember ?? defaults.APPROVALS.remember,
    webhooks: (webhooks ?? []).flatMap(({ value: { values: hook } }) =>
      hook.url === undefined
        ? []
        : [{ url: hook.url.href, secret: hook.secret?.text, decides: hook.decides ?? false }],
    ),
  }
}

const bare = ({ href }: URL): string => href.replace(/\/$/, '')
