/** The names of permissions an API key may hold: those of the specification and of the documented wider API. */

/** Stands for every permission over the key's own workspace, also those of later versions. */
export const everyPermission = "*";

/** Shows what concerns the whole installation; `*` does not hold it. */
export const operatorPermission = "console.operate";

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
  operatorPermission,
];
