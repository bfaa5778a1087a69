"""Sends a user and an event, reads the user back and its groups, and shows a refusal, by the client of openapi-python-client."""

import json
import sys

from heddle_client import AuthenticatedClient
from heddle_client.api.consent import get_user_groups
from heddle_client.api.users import export_users, track_users
from heddle_client.models import Attributes, Error, Event, ExportUsersBody, Purchase, TrackBody

url, key, user = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)

visits = Attributes(external_id=user, first_name="Ann")
visits["visits"] = {"inc": 1}
tracked = track_users.sync(
    client=client,
    idempotency_key=user,
    body=TrackBody(
        attributes=[visits],
        events=[Event(external_id=user, name="signed_up", time="2026-11-20T10:00:00Z")],
        purchases=[Purchase(external_id=user, product_id="sku-1", currency="USD", price=11.77, time="2026-11-20T10:05:00Z")],
    ),
)
exported = export_users.sync(
    client=client, body=ExportUsersBody(external_ids=[user], fields_to_export=["first_name", "total_revenue"])
)
groups = get_user_groups.sync(client=client, external_id=[user])
refused = track_users.sync_detailed(client=client, body=TrackBody(events=[]))
assert isinstance(refused.parsed, Error)

print(
    json.dumps(
        {
            "processed": [tracked.attributes_processed, tracked.events_processed, tracked.purchases_processed],
            "name": exported.users[0]["first_name"],
            "revenue": exported.users[0].total_revenue,
            "status": groups.users[0].external_id,
            "refused": [int(refused.status_code), refused.headers["x-heddle-reason"], refused.parsed.message],
        }
    )
)
