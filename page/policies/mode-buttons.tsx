/** Promote, put in shadow, roll back: each says to which version it happens, and asks once. */
import { useState, type ReactElement } from 'react'
import type { PolicyView } from '../../src/api/types.ts'
import type { PolicyVersionView } from '../../src/api/types-policies.ts'
import { showName } from '../blocks/plain.ts'
import { api } from '../core/api.ts'
import { Button } from '../kit/button.tsx'
import { isInShadow, toVersion, who } from './policy-words.ts'
import { SureDialog } from './sure-dialog.tsx'
import { Everywhere, ModeWords, Version } from './sure-words.tsx'

export function ModeButton({ policy }: { readonly policy: PolicyView }): ReactElement {
  // As it stood when it was pressed: the question must not turn into its opposite under a finger.
  const [asked, setAsked] = useState<PolicyView>()
  const { name, version } = asked ?? policy
  const isShadow = isInShadow(asked ?? policy)
  const does = isShadow ? 'Promote' : 'Put in shadow'
  return (
    <>
      <Button
        look={isShadow ? 'primary' : 'plain'}
        disabled={version === undefined}
        title={
          version === undefined
            ? 'It is of the program itself and has no version: turn it there'
            : undefined
        }
        onClick={() => setAsked(policy)}
      >
        {does}
      </Button>
      {asked === undefined ? null : (
        <SureDialog
          title={`${does}: ${showName(name)}`}
          does={does}
          run={({ by }) => api.setPolicyMode(name, { mode: isShadow ? 'acts' : 'shadow', by })}
          onClose={() => setAsked(undefined)}
        >
          <p>
            Version <Version of={version} />{' '}
            {isShadow
              ? 'is in shadow, and acts from now on.'
              : 'acts now, and only watches from now on.'}{' '}
            <ModeWords isShadow={!isShadow} />
          </p>
          <Everywhere />
        </SureDialog>
      )}
    </>
  )
}

interface BackButtonProps {
  readonly name: string
  /** The version that holds; `undefined`: no policy of the name is installed. */
  readonly from: string | undefined
  /** `undefined`: it stands in no config, and is taken away. */
  readonly to: PolicyVersionView | undefined
  onDone?(): void
}

/** Back to the config, to a version that was written here, or to nothing. */
export function BackButton({ name, from, to, onDone }: BackButtonProps): ReactElement {
  const [isAsking, setAsking] = useState(false)
  const isConfig = to === undefined || isOfConfig(to)
  const does = to === undefined ? 'Remove' : from === undefined ? 'Bring back' : 'Roll back'
  return (
    <>
      <Button icon="back" onClick={() => setAsking(true)}>
        {toLabel(does, from, to)}
      </Button>
      {isAsking ? (
        <SureDialog
          title={`${does}: ${showName(name)}`}
          does={does}
          run={({ by }) =>
            api.rollBackPolicy(name, isConfig ? { by } : { version: to.version, by })
          }
          onClose={() => setAsking(false)}
          {...(onDone === undefined ? {} : { onDone })}
        >
          <BackWords from={from} to={to} />
          <Everywhere />
        </SureDialog>
      ) : null}
    </>
  )
}

function toLabel(
  does: string,
  from: string | undefined,
  to: PolicyVersionView | undefined,
): string {
  if (to === undefined) return does
  const version = isOfConfig(to) ? 'the config' : `version ${toVersion(to.version)}`
  return `${does}${from === undefined ? '' : ' to'} ${version}`
}

function BackWords({ from, to }: Pick<BackButtonProps, 'from' | 'to'>): ReactElement {
  if (to === undefined)
    return (
      <p>
        Version <Version of={from} /> is taken away. It stands in no config, so that no policy of
        this name is left. It can be brought back from its versions.
      </p>
    )
  return (
    <p>
      Version <Version of={to.version} />
      {isOfConfig(to) ? ' of the config' : `, written here by ${who(to.by)},`}{' '}
      {from === undefined ? (
        'is installed again, behind all others'
      ) : (
        <>
          takes the place of version <Version of={from} />
        </>
      )}
      {to.isShadow ? ', in shadow' : ', and acts'}, unless somebody has turned it since.{' '}
      <ModeWords isShadow={to.isShadow} />
    </p>
  )
}

/** The one that the config says now: of older ones the text is not known. */
export const isOfConfig = ({ from, yaml }: PolicyVersionView): boolean =>
  from === 'config' && yaml !== undefined
