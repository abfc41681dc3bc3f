import base64
import os

from bursar_client import AuthenticatedClient
from bursar_client.api.pay_orders import create_pay_order, get_pay_order
from bursar_client.api.sandbox import sandbox_pay
from bursar_client.models import CreateOrderRequest, SandboxPayRequest

token = base64.b64encode(b"key_test_demo:secret_test_demo").decode()
client = AuthenticatedClient(base_url=os.environ["BURSAR_API_URL"], token=token, prefix="Basic")
wanted = CreateOrderRequest.from_dict(
    {
        "name": "Asha Rao",
        "phone": "+91 98765 43210",
        "email": "asha@example.in",
        "details": [{"component_type": "TUITION_FEE", "amount": 1234567.89}],
    }
)
order_id = create_pay_order.sync(client=client, body=wanted).data.order_id
sandbox_pay.sync(order_id, client=client, body=SandboxPayRequest.from_dict({"outcome": "success"}))
order = get_pay_order.sync(order_id, client=client).data
print(order.status, order.details[0].amount)
