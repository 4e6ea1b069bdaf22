"""Documentation of an invented app: operations of every kind that can be undone, and of each that cannot."""

from __future__ import annotations

from holdcourse.appworld.docs import Docs, Operation, Parameter


def operation(
    api: str, method: str, path: str, parameters: str = "", returns: object = None, app: str = "garden"
) -> Operation:
    """One operation; parameters as "plant_id:integer note?:string", tokens added."""
    taken = [word.split(":") for word in parameters.split()]
    inputs = tuple(
        Parameter(
            name.rstrip("?"),
            kind.partition("=")[0],
            not name.endswith("?"),
            tuple(filter(None, [kind.partition("=")[2].replace("_", " ")])),
        )
        for name, kind in taken
    )
    return Operation(
        app, api, method, f"/{app}{path}", (*inputs, Parameter("access_token", "string", True)), returns
    )


PLANT = {"plant_id": 1, "name": "x", "height": 1.0, "keeper": {"name": "x", "email": "x"}, "tags": ["x"]}

DOCS = Docs(
    [
        operation("show_plant", "GET", "/plants/{plant_id}", "plant_id:integer", PLANT),
        operation("search_plants", "GET", "/plants", "page_index?:integer page_limit?:integer", [PLANT]),
        operation(
            "create_plant",
            "POST",
            "/plants",
            "name:string keeper_email?:string height?:number tags?:list[string]",
            {"message": "x", "plant_id": 1},
        ),
        operation("delete_plant", "DELETE", "/plants/{plant_id}", "plant_id:integer", {"message": "x"}),
        operation(
            "update_plant",
            "PATCH",
            "/plants/{plant_id}",
            "plant_id:integer name?:string height?:number",
            {"message": "x"},
        ),
        operation("water_plant", "POST", "/plants/{plant_id}/water", "plant_id:integer", {"message": "x"}),
        operation("like_plant", "POST", "/plants/{plant_id}/like", "plant_id:integer", {"message": "x"}),
        operation("unlike_plant", "DELETE", "/plants/{plant_id}/like", "plant_id:integer", {"message": "x"}),
        operation(
            "review_plant",
            "POST",
            "/plants/{plant_id}/reviews",
            "plant_id:integer stars:integer",
            {"plant_review_id": 1},
        ),
        operation("delete_plant_review", "DELETE", "/plant_reviews/{review_id}", "review_id:integer"),
        operation(
            "show_plant_reviews",
            "GET",
            "/plants/{plant_id}/reviews",
            "plant_id:integer",
            [{"plant_review_id": 1, "plant_id": 1, "stars": 1}],
        ),
        operation("mark_bed_dry", "POST", "/beds/{bed_id}/dry", "bed_id:integer"),
        operation("mark_bed_undry", "POST", "/beds/{bed_id}/undry", "bed_id:integer"),
        operation("add_plant_to_bed", "POST", "/beds/{bed_id}/plants", "bed_id:integer plant_id:integer"),
        operation(
            "remove_plant_from_bed",
            "DELETE",
            "/beds/{bed_id}/plants/{plant_id}",
            "bed_id:integer plant_id:integer",
        ),
        operation(
            "move_pot",
            "POST",
            "/pots/move",
            "source_place:string destination_place:string overwrite?:boolean",
        ),
        operation(
            "show_basket",
            "GET",
            "/basket",
            "",
            {"total": 1.0, "items": [{"seed_id": 1, "seed_name": "x", "quantity": 1}]},
        ),
        operation(
            "add_seed_to_basket",
            "POST",
            "/basket/{seed_id}",
            "seed_id:integer quantity?:integer clear_first?:boolean",
        ),
        operation("delete_seed_from_basket", "DELETE", "/basket/{seed_id}", "seed_id:integer"),
        operation(
            "update_seed_quantity_in_basket", "PATCH", "/basket/{seed_id}", "seed_id:integer quantity:integer"
        ),
        operation("clear_basket", "DELETE", "/basket"),
        operation("show_alerts", "GET", "/alerts", "", [{"alert_id": 1, "read": True, "text": "x"}]),
        operation("mark_alerts", "PATCH", "/alerts", "read:boolean"),
        operation("mark_alert", "PATCH", "/alerts/{alert_id}", "alert_id:integer read:boolean"),
        operation("show_heater", "GET", "/heater", "", {"is_humming": True, "set_degree": 3}),
        operation("set_degree", "POST", "/heater/degree", "degree:integer"),
        operation("show_diary", "GET", "/diary/{page_id}", "page_id:integer", {"page_id": 1, "content": "x"}),
        operation("update_diary", "PATCH", "/diary/{page_id}", "page_id:integer content?:string"),
        operation(
            "add_content_to_diary",
            "PATCH",
            "/diary/{page_id}/{where}",
            "page_id:integer where:string=value_in_['top','end'] added_content:string",
        ),
        operation(
            "attach_photos_to_plant",
            "POST",
            "/plants/{plant_id}/photos",
            "plant_id:integer photo_paths:list[string]",
            {"photo_ids": [1]},
        ),
        operation(
            "remove_photo_from_plant",
            "DELETE",
            "/plants/{plant_id}/photos/{photo_id}",
            "plant_id:integer photo_id:integer",
        ),
        operation("send_postcard", "POST", "/postcards", "user_email:string text:string", {"postcard_id": 1}),
        operation("delete_postcard", "DELETE", "/postcards/{postcard_id}", "postcard_id:integer"),
        operation("add_to_purse", "POST", "/purse", "amount:number", {"transfer_id": 1}),
        operation("take_from_purse", "DELETE", "/purse", "amount:number", {"transfer_id": 1}),
        operation(
            "download_receipt", "GET", "/receipts/{receipt_id}", "receipt_id:integer", {"file_path": "x"}
        ),
        operation("delete_file", "DELETE", "/file", "file_path:string", app="drawer"),
        operation("login", "POST", "/auth/token", "username:string password:string"),
    ]
)
