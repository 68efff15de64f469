/**
 * `sluice policy list`, `promote` and `demote`: whether policies act or stay in shadow, whatever their config says.
 * Neighbours: the store keeps it for one version of a policy, and running gateways look there each second
 * (`server/policy-modes.ts`).
 */
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { findConfig, loadConfigAsync } from '../config/load.ts'
import { withEdits } from '../config/policy-edits.ts'
import type { EditOf } from '../config/settings.ts'
import type { PolicyMode, PolicyVersion, RecordReader } from '../store/store.ts'
import { readArguments } from './arguments.ts'
import { columns } from './backtest-lines.ts'
import type { Streams } from './command.ts'
import { openStore, STORE_HELP, STORE_OPTIONS, type OpenedStore } from './open-store.ts'
import { visible, type Output } from './output.ts'
import { whoAmI } from './who.ts'

export const MODE_HELP = `sluice policy list [--json]
sluice policy promote NAME [--by WHO]
sluice policy demote NAME [--by WHO]

list says which policies there are, of which version, whether they act, and who has
edited them by the API since.
promote makes a policy act that its config keeps in shadow, and demote the other way
round: without a restart, on every gateway that uses this store, within a second. It
holds for this version of the policy: once its config changes, its config holds again.

${STORE_HELP}
`

/** A policy as its config has it, or as the store knows it where there is no config. */
interface Known {
  readonly name: string
  readonly version: string
  readonly use: string
  readonly isShadow: boolean
  /** Who wrote it while a gateway ran. */
  readonly edit?: Pick<EditOf, 'at' | 'by'> | undefined
}

export async function listCommand(argv: readonly string[], { out }: Streams): Promise<number> {
  const { values } = readArguments(argv, { ...STORE_OPTIONS, json: { type: 'boolean' } })
  const opened = await openIfThere(values)
  try {
    const policies = await findKnown(values.config, opened?.reader)
    const modes = (await opened?.reader.policyModes()) ?? []
    const all = policies.map((one) => ({ ...one, mode: modeOf(one, modes) }))
    if (values.json === true) await out.line(JSON.stringify({ policies: all }))
    else if (all.length === 0) await out.line('There are no policies')
    else for (const line of toLines(all, out)) await out.line(line)
    return 0
  } finally {
    await opened?.close()
  }
}

/** What a config says can be listed also where nothing was ever recorded. */
async function openIfThere(values: {
  readonly config?: string | undefined
  readonly store?: string | undefined
}): Promise<OpenedStore | undefined> {
  try {
    return await openStore(values.config, { store: values.store })
  } catch (error) {
    if (values.store !== undefined || !(error instanceof SluiceError)) throw error
    return undefined
  }
}

export async function turnCommand(
  argv: readonly string[],
  mode: PolicyMode['mode'],
  { out }: Streams,
): Promise<number> {
  const { values, file: name } = readArguments(argv, { ...STORE_OPTIONS, by: { type: 'string' } })
  if (name === undefined)
    throw new SluiceError(
      'wrong-use',
      `Say which policy: sluice policy ${mode === 'acts' ? 'promote' : 'demote'} NAME`,
    )
  const opened = await openStore(values.config, { store: values.store, isWritten: true })
  try {
    const policies = await findKnown(values.config, opened.reader)
    const found = policies.find((one) => one.name === name) ?? unknown(name, policies)
    const turned: PolicyMode = {
      policy: found.name,
      version: found.version,
      mode,
      by: whoAmI(values.by),
      at: Date.now(),
    }
    await opened.store.setPolicyMode(turned)
    const words = mode === 'acts' ? 'acts' : 'stays in shadow'
    await out.line(
      `${visible(found.name)} ${visible(found.version)} ${out.style('green', words)}${sameAs(found, mode)}`,
    )
    return 0
  } finally {
    await opened.close()
  }
}

const sameAs = ({ isShadow }: Known, mode: PolicyMode['mode']): string =>
  isShadow === (mode === 'shadow') ? ', as its config says' : ', whatever its config says'

async function findKnown(
  config: string | undefined,
  reader: RecordReader | undefined,
): Promise<readonly Known[]> {
  const file = config ?? findConfig(process.cwd())
  if (file === undefined) return newest((await reader?.policyVersions()) ?? [])
  const { settings } = await loadConfigAsync({ file, env: process.env, cwd: process.cwd() })
  const { policies } = withEdits(settings, (await reader?.policyEdits()) ?? [])
  const known = new Map(
    policies.map(({ name, version, use, installed, edit }) => [
      name,
      {
        name,
        version,
        use,
        isShadow: installed.isShadow,
        ...(edit && { edit: { at: edit.at, by: edit.by } }),
      },
    ]),
  )
  return [...known.values()]
}

/** Of each policy the version that came last. */
function newest(versions: readonly PolicyVersion[]): readonly Known[] {
  const last = new Map<string, PolicyVersion>()
  for (const one of versions) {
    const other = last.get(one.policy)
    if (other === undefined || one.firstSeenAt >= other.firstSeenAt) last.set(one.policy, one)
  }
  return [...last.values()].map(({ policy: name, version, use, isShadow }) => ({
    name,
    version,
    use,
    isShadow,
  }))
}

const modeOf = (one: Known, modes: readonly PolicyMode[]): PolicyMode | undefined =>
  modes.find(
    ({ policy, version, at }) =>
      policy === one.name && version === one.version && at >= (one.edit?.at ?? 0),
  )

function toLines(
  all: readonly (Known & { readonly mode: PolicyMode | undefined })[],
  out: Output,
): readonly string[] {
  const rows = all.map(({ name, version, use, isShadow, mode, edit }) => {
    const isNow = mode === undefined ? isShadow : mode.mode === 'shadow'
    const why = [
      ...(edit === undefined ? [] : [said('edited', edit)]),
      ...(mode === undefined ? [] : [said(mode.mode === 'acts' ? 'promoted' : 'demoted', mode)]),
    ]
    const words = why.length === 0 ? 'as its config says' : why.join('; ')
    return [name, version, use, isNow ? 'in shadow' : 'acts', words]
  })
  const [head = '', ...rest] = columns([['policy', 'version', 'use', 'now', 'why'], ...rows])
  return [out.style('dim', head), ...rest]
}

const said = (what: string, { by, at }: Pick<EditOf, 'at' | 'by'>): string =>
  `${what} by ${by ?? 'somebody'}, ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}`

function unknown(name: string, policies: readonly Known[]): never {
  const names = policies.map((one) => one.name)
  const near = nearest(name, names)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  const list = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`
  throw new SluiceError('wrong-use', `There is no policy "${name}": ${list}${hint}`)
}
