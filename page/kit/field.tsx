/** Fields with their labels. A label is always there for a screen reader, also where it is not shown. */
import {
  useId,
  useLayoutEffect,
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react'
import { classes } from './classes.ts'

const LOOK =
  'w-full rounded-md border border-line-strong bg-surface px-2 text-sm text-ink placeholder:text-faint disabled:opacity-60 aria-invalid:border-bad'

interface Labelled {
  readonly label: string
  /** The label is for screen readers only. */
  readonly isBare?: boolean
  readonly hint?: ReactNode
  readonly fault?: string | undefined
}

function Frame({
  label,
  isBare,
  hint,
  fault,
  id,
  autoFocus,
  children,
}: Labelled & {
  readonly id: string
  readonly autoFocus: boolean | undefined
  readonly children: ReactNode
}): ReactElement {
  // The browser heeds the attribute in dialogs, and elsewhere only once in the life of a page.
  useLayoutEffect(() => {
    if (autoFocus === true) document.getElementById(id)?.focus()
  }, [])
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label
        htmlFor={id}
        className={isBare === true ? 'sr-only' : 'text-xs font-medium text-muted'}
      >
        {label}
      </label>
      {children}
      {fault === undefined ? null : (
        <p role="alert" className="text-xs whitespace-pre-line text-bad">
          {fault}
        </p>
      )}
      {hint === undefined ? null : <p className="text-xs text-faint">{hint}</p>}
    </div>
  )
}

export function TextField({
  label,
  isBare,
  hint,
  fault,
  className,
  ...rest
}: Labelled &
  InputHTMLAttributes<HTMLInputElement> & { readonly ref?: Ref<HTMLInputElement> }): ReactElement {
  const id = useId()
  return (
    <Frame
      label={label}
      isBare={isBare ?? false}
      hint={hint}
      fault={fault}
      id={id}
      autoFocus={rest.autoFocus}
    >
      <input
        id={id}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={fault !== undefined}
        className={classes(LOOK, 'h-7', className)}
        {...rest}
      />
    </Frame>
  )
}

export function TextArea({
  label,
  isBare,
  hint,
  fault,
  className,
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>): ReactElement {
  const id = useId()
  return (
    <Frame
      label={label}
      isBare={isBare ?? false}
      hint={hint}
      fault={fault}
      id={id}
      autoFocus={rest.autoFocus}
    >
      <textarea
        id={id}
        spellCheck={false}
        aria-invalid={fault !== undefined}
        className={classes(LOOK, 'min-h-20 py-1.5', className)}
        {...rest}
      />
    </Frame>
  )
}

interface SelectProps extends Labelled, SelectHTMLAttributes<HTMLSelectElement> {
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

export function Select({
  label,
  isBare,
  hint,
  fault,
  options,
  className,
  ...rest
}: SelectProps): ReactElement {
  const id = useId()
  return (
    <Frame
      label={label}
      isBare={isBare ?? false}
      hint={hint}
      fault={fault}
      id={id}
      autoFocus={rest.autoFocus}
    >
      <select id={id} className={classes(LOOK, 'h-7', className)} {...rest}>
        {options.map(({ value, label: says }) => (
          <option key={value} value={value}>
            {says}
          </option>
        ))}
      </select>
    </Frame>
  )
}

export function Check({
  label,
  ...rest
}: { readonly label: ReactNode } & InputHTMLAttributes<HTMLInputElement>): ReactElement {
  return (
    <label className="inline-flex items-center gap-2 text-xs text-muted">
      <input type="checkbox" className="size-3.5 accent-(--accent)" {...rest} />
      {label}
    </label>
  )
}
