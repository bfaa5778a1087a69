/** The names of permissions an API key may hold: those of the specification and of the documented wider API. */

/** Stands for every permission over the key's own workspace, also those of later versions, but `byNameAlone`. */
export const everyPermission = "*";

/** Shows what concerns the whole installation. */
export const operatorPermission = "console.operate";

/** Shows what people are called, and what was sent of them, as it comes. */
export const bodiesPermission = "console.bodies";

/** What `*` does not hold. */
const byNameAlone: readonly string[] = [operatorPermission, bodiesPermission];

/** Whether a key with these permissions may do it. */
export function holds(permissions: readonly string[], wanted: string): boolean {
  return permissions.includes(wanted) || (permissions.includes(everyPermission) && !byNameAlone.includes(wanted));
}

export const permissionNames: readonly string[] = [
  "users.track",
  "users.track.sync",
  "users.track.bulk",
  "users.export.ids",
  "users.alias.new",
  "users.alias.update",
  "users.identify",
  "users.merge",
  "users.delete",
  "users.external_ids.rename",
  "users.external_ids.remove",
  "subscription.status.set",
  "subscription.status.get",
  "subscription.groups.get",
  "email.status",
  "email.blacklist",
  "email.unsubscribe",
  "email.hard_bounces",
  "email.bounce.remove",
  "email.spam.remove",
  "sms.invalid_phone_numbers",
  "sms.invalid_phone_numbers.remove",
  "preference_center.list",
  "preference_center.get",
  "preference_center.update",
  "preference_center.user.get",
  "campaigns.translations.get",
  "campaigns.translations.update",
  "canvas.translations.get",
  "canvas.translations.update",
  "templates.translations.get",
  "console.view",
  "console.keys",
  bodiesPermission,
  operatorPermission,
];
